from os import PathLike
from typing import Any, Dict, Iterable, Iterator, List, Literal, Mapping, NamedTuple, Optional, Sequence, Tuple, Union, overload

import numpy as np
from numpy.typing import NDArray

_Path = Union[str, "PathLike[str]"]
_Scene = Union[_Path, Mapping[str, Any], "Scene"]
_Picture = Union[_Path, NDArray[Any]]
_Backend = Literal["auto", "cpu", "cuda"]
_Samples = Literal["uint8", "uint16", "float32"]

__version__: str

class Problem(NamedTuple):
    path: Optional[str]
    line: Optional[int]
    column: Optional[int]
    key: str
    message: str

class Error(Exception):
    exit_code: int

class RenderError(Error): ...
class UsageError(Error, ValueError): ...

class SceneError(Error, ValueError):
    problems: List[Problem]
    def __init__(self, message: str, problems: Iterable[Problem] = ()) -> None: ...

class OutputError(Error, OSError): ...
class RoundelWarning(UserWarning): ...

class Scene:
    def __init__(self, *, size: Optional[Tuple[int, int]] = None, background: Any = None,
                 antialias: Optional[bool] = None, **keys: Any) -> None: ...
    @classmethod
    def from_file(cls, path: _Path) -> Scene: ...
    @classmethod
    def from_dict(cls, keys: Mapping[str, Any]) -> Scene: ...
    def add(self, data: Any = None, *, x: Any = None, y: Any = None, z: Any = None, radius: Any = None,
            color: Any = None, alpha: Any = None, values: Any = None,
            colormap: Union[str, Sequence[Any], None] = None, domain: Optional[Sequence[Union[float, str]]] = None,
            scale: Union[str, float, Mapping[str, Any], None] = None, categories: Union[str, Mapping[Any, Any], None] = None,
            missing: Any = None, map: Optional[Mapping[str, Any]] = None, **layer: Any) -> Scene: ...
    def save(self, path: _Path) -> None: ...

class DeviceArray:
    """A picture [height, width, channels] in a CUDA device's memory, row 0 on top."""
    @property
    def shape(self) -> Tuple[int, int, int]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def __cuda_array_interface__(self) -> Dict[str, Any]: ...
    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None,
                   copy: Any = None) -> Any: ...
    def __dlpack_device__(self) -> Tuple[int, int]: ...
    def numpy(self) -> NDArray[Any]: ...

@overload
def render(scene: _Scene, *, frame: Optional[int] = None, size: Optional[Tuple[int, int]] = None,
           antialias: Optional[bool] = None, seed: Optional[int] = None, set: Optional[Mapping[str, Any]] = None,
           backend: _Backend = "auto", threads: int = 0, memory: Optional[int] = None, dtype: _Samples = "uint8",
           out: Optional[NDArray[Any]] = None, device: None = None) -> NDArray[Any]: ...
@overload
def render(scene: _Scene, *, frame: Optional[int] = None, size: Optional[Tuple[int, int]] = None,
           antialias: Optional[bool] = None, seed: Optional[int] = None, set: Optional[Mapping[str, Any]] = None,
           backend: Literal["auto", "cuda"] = "auto", threads: int = 0, memory: Optional[int] = None,
           dtype: _Samples = "uint8", out: None = None, device: Literal["cuda"]) -> DeviceArray: ...
def save(scene: _Scene, path: _Path, *, frame: Optional[int] = None, size: Optional[Tuple[int, int]] = None,
         antialias: Optional[bool] = None, seed: Optional[int] = None, set: Optional[Mapping[str, Any]] = None,
         backend: _Backend = "auto", threads: int = 0, memory: Optional[int] = None) -> None: ...
def frames(scene: _Scene, list: Union[str, Iterable[int]] = "all", *, size: Optional[Tuple[int, int]] = None,
           antialias: Optional[bool] = None, seed: Optional[int] = None, set: Optional[Mapping[str, Any]] = None,
           backend: _Backend = "auto", threads: int = 0, memory: Optional[int] = None,
           dtype: Literal["uint8", "uint16"] = "uint8") -> Iterator[NDArray[Any]]: ...
def circles(scene: _Scene, *, frame: Optional[int] = None, all: bool = False, seed: Optional[int] = None,
            set: Optional[Mapping[str, Any]] = None) -> NDArray[Any]: ...
def explain_pixel(scene: _Scene, x: int, y: int, *, frame: Optional[int] = None,
                  size: Optional[Tuple[int, int]] = None, antialias: Optional[bool] = None,
                  seed: Optional[int] = None, set: Optional[Mapping[str, Any]] = None,
                  limit: int = 1000) -> Dict[str, Any]: ...
def diff(a: _Picture, b: _Picture, *, max_delta: float = 0, max_pixels: Optional[float] = None, flip: bool = False,
         ssim: bool = False, align: bool = False) -> Dict[str, Any]: ...
def fingerprint(scene: _Scene, *, frame: Optional[int] = None, size: Optional[Tuple[int, int]] = None,
                antialias: Optional[bool] = None, seed: Optional[int] = None,
                set: Optional[Mapping[str, Any]] = None) -> str: ...
def validate(scene: _Scene, *, frame: Optional[int] = None, size: Optional[Tuple[int, int]] = None,
             antialias: Optional[bool] = None, seed: Optional[int] = None,
             set: Optional[Mapping[str, Any]] = None) -> Dict[str, Any]: ...
def info(path: Optional[_Path] = None) -> Dict[str, Any]: ...
