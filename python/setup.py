"""Builds klip._klip against libklip.so, which is looked for in this order: the prefix KLIP_PREFIX; what pkg-config knows as libklip; the
build of the source tree that this file is in. ./x package wheel puts the program at klip/bin/klip first; then pip makes a command of it."""

import os
import pathlib
import subprocess

from setuptools import Extension, setup

HERE = pathlib.Path(__file__).resolve().parent


def library():
    """(include directory, library directory)"""
    prefix = os.environ.get("KLIP_PREFIX")
    if prefix:
        for found in sorted(pathlib.Path(prefix).glob("lib*/**/libklip.so")):
            return pathlib.Path(prefix) / "include", found.parent
        raise SystemExit(f"setup.py: no libklip.so under KLIP_PREFIX={prefix}")
    try:
        return tuple(
            pathlib.Path(subprocess.check_output(["pkg-config", f"--variable={name}", "libklip"], text=True, stderr=subprocess.DEVNULL).strip())
            for name in ("includedir", "libdir")
        )
    except (OSError, subprocess.CalledProcessError):
        pass  # not installed
    for preset in ("release", "dev"):
        directory = HERE.parent / "build" / preset
        if (directory / "libklip.so").exists():
            return HERE.parent / "include", directory
    raise SystemExit("setup.py: no libklip.so: install klip (./x install), or build it (./x test), or set KLIP_PREFIX")


include, directory = library()
STANDARD = {"/usr/lib", "/lib"} | {str(path) for path in pathlib.Path("/usr/lib").glob("*-linux-gnu")}

setup(
    entry_points={"console_scripts": ["klip = klip.program:main"]} if (HERE / "klip/bin/klip").exists() else {},
    ext_modules=[
        Extension(
            "klip._klip",
            sources=[str(path.relative_to(HERE)) for path in sorted((HERE / "src").glob("*.cc"))],
            depends=[str(path.relative_to(HERE)) for path in sorted((HERE / "src").glob("*.h"))],
            include_dirs=[str(include)],
            library_dirs=[str(directory)],
            runtime_library_dirs=[] if str(directory) in STANDARD else [str(directory)],
            libraries=["klip"],
            extra_compile_args=["-std=c++20", "-O2", "-fvisibility=hidden", "-fno-exceptions"],
            py_limited_api=True,
            language="c++",
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
)
