"""Imports that can wait: modules that other packages import as they start, and that few commands use.

For the program alone, as `garbage` is: who imports everytree as a library finds every module as it always is.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from threading import RLock
from types import ModuleType
from typing import Any

__all__ = ["put_off"]


def put_off(names: Iterable[str], alone: Iterable[str] = ()) -> None:
    """Let modules be imported without their code, which runs when a name of theirs is first asked for.

    A module is the true one from the beginning, and the same object afterwards. Where something is not as
    usual (it is imported already, it is not found, it is no file of Python code), it is imported as ever.

    Parameters
    ----------
    names : iterable of str
        Modules that nobody needs for what they do elsewhere when they are imported.
    alone : iterable of str
        Submodules that do without the code of their package; the others have it run first, as ever.
    """
    sys.meta_path.insert(0, _Finder(names, alone))


class _Finder:
    """Finds the modules where they would be found anyway, each once: who loads one again means it."""

    def __init__(self, names: Iterable[str], alone: Iterable[str]) -> None:
        self.names, self.alone = set(names), frozenset(alone)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name in self.names:
            self.names.discard(name)
            spec = PathFinder.find_spec(name, path, target)
            if spec is None or type(spec.loader) is not SourceFileLoader:
                return None
            spec.loader = _Late(spec.loader.name, spec.loader.path, self.alone)
            return spec
        package = sys.modules.get(name.rpartition(".")[0])
        loader = getattr(package, "__loader__", None)
        if package is None or not isinstance(loader, _Late) or name in loader.alone:
            return None
        loader.run(package)
        brought = sys.modules.get(name)
        return None if brought is None else ModuleSpec(name, _Brought(brought))


class _Late(SourceFileLoader):
    """Leaves a module empty until it is asked for a name that it does not have."""

    def __init__(self, name: str, path: str, alone: Collection[str]) -> None:
        super().__init__(name, path)
        self.alone, self.lock, self.begun = alone, RLock(), False

    def exec_module(self, module: ModuleType) -> None:
        def ask(name: str) -> Any:
            part = f"{module.__name__}.{name}"
            if part in self.alone:  # `from package import submodule` asks for it like this
                with suppress(ModuleNotFoundError):
                    return import_module(part)
            self.run(module)
            if vars(module).get("__getattr__") is not ask or name in vars(module):
                return getattr(module, name)
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

        self.ask = module.__getattr__ = ask  # type: ignore[method-assign]

    def run(self, module: ModuleType) -> None:
        """Run the code once; other threads wait for that, and the code itself sees what there is so far."""
        with self.lock:
            if self.begun:
                return
            self.begun = True
            super().exec_module(module)
            if vars(module).get("__getattr__") is self.ask:  # and not one of the module's own
                del module.__getattr__


class _Brought(Loader):
    """Gives a submodule that its package has just imported itself."""

    def __init__(self, module: ModuleType) -> None:
        self.module, self.spec = module, module.__spec__
        module.__spec__ = None  # by which importlib would load it a second time

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec
