"""NumPy, which the first function that needs it imports."""
try:
    import numpy
except ImportError as error:
    raise ImportError("roundel needs NumPy for arrays; to install it: sudo apt-get install python3-numpy, or pip install numpy") from error

__all__ = ["numpy"]
