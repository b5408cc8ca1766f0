from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="bearings_ext",
    version="0.1",
    ext_modules=[CUDAExtension("bearings_ext", ["scale_shift.cpp", "scale_shift_kernel.cu"])],
    cmdclass={"build_ext": BuildExtension},
)
