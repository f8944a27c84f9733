import numpy as np
from numpy.typing import NDArray

def encode_jpeg(
    image: NDArray[np.uint8],
    quality: int = 85,
    colorspace: str = "RGB",
    colorsubsampling: str = "444",
    fastdct: bool = True,
) -> bytes: ...
def decode_jpeg(
    data: bytes, colorspace: str = "RGB", fastdct: bool = False, fastupsample: bool = False
) -> NDArray[np.uint8]: ...
def decode_jpeg_header(data: bytes) -> tuple[int, int, str, str]: ...
