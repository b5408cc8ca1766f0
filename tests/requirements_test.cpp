#include "cli/requirements.h"

#include <gtest/gtest.h>

#include "cli/dependency_files.h"
#include "tests/support/temp_dir.h"

namespace torchport {
namespace {

using test::TempDir;

constexpr std::uint32_t kNotTorch = UINT32_MAX;

TEST(TorchRequirement, Table) {
  const std::vector<std::pair<const char*, std::uint32_t>> cases = {
      {"torch", 0},
      {"  Torch  ", 0},
      {"torch==2.4.0", 204},
      {"torch==2.4.0+cu121", 204},
      {"torch===2.4.0", 204},
      {"torch == 2.10.0", 210},
      {"torch>=2.6", 206},
      {"torch>=2", 200},
      {"torch~=2.3", 203},
      {"torch~=2.3.1", 203},
      {"torch>2.0,<2.5", 200},
      {"torch<2.5,>=2.1", 201},
      {"torch>=1.8,>=2.0", 200},
      {"torch==2.*", 200},
      {"torch==2.1.*", 201},
      {"torch!=2.0.1", 0},
      {"torch>=1.13,!=2.0.1", 113},
      {"torch<2.5", 204},
      {"torch<2.5.1", 205},
      {"torch<2.5.0", 204},
      {"torch<=2.3", 203},
      {"torch<2", 113},
      {"torch<2.0", 113},
      {"torch<3", 0},
      {"torch<2.5,<2.3", 202},
      {"torch (>=2.1)", 201},
      {"torch[opt-einsum]>=2.2 ; python_version > '3.8'", 202},
      {"torch; sys_platform == 'linux'", 0},
      {"torch>=2.1.0a0+git123", 201},
      {"torch @ https://download.pytorch.org/whl/cu118/torch-2.0.1%2Bcu118-cp310-cp310-linux_x86_64.whl", 200},
      {"torch @ git+https://github.com/pytorch/pytorch@v2.1.0 ; python_version > '3'", 201},
      {"torch @ file:///somewhere", 0},
      {"https://download.pytorch.org/whl/cpu/torch-1.13.1%2Bcpu-cp39-cp39-linux_x86_64.whl", 113},
      {"./wheels/torch-2.3.0-cp310-none-any.whl", 203},
      {"torchvision>=0.15", kNotTorch},
      {"torch-geometric==2.4", kNotTorch},
      {"torch_geometric==2.4", kNotTorch},
      {"torch.cuda==2", kNotTorch},
      {"pytorch-lightning>=2.0", kNotTorch},
      {"pytorch==2.0", kNotTorch},
      {"torch 2.0", kNotTorch},
      {"torch>=1.8 is required", kNotTorch},
      {"torch>=", kNotTorch},
      {"torch=={version}", kNotTorch},
      {"torch cuda", kNotTorch},
      {"", kNotTorch},
  };
  for (const auto& [text, version] : cases) EXPECT_EQ(torch_requirement(text).value_or(kNotTorch), version) << text;
}

TEST(TorchSpecifier, Table) {
  const std::vector<std::pair<const char*, std::uint32_t>> cases = {{"", 0},
                                                                    {"*", 0},
                                                                    {"^2.1", 201},
                                                                    {"~2.1", 201},
                                                                    {"2.1.*", 201},
                                                                    {"2.1", 201},
                                                                    {">=2.1 <3", 201},
                                                                    {"^2.2 || ^1.13", 113},
                                                                    {">=2.0|=1.12", 112},
                                                                    {"=2.1", 201},
                                                                    {"latest", kNotTorch},
                                                                    {">=99999999999999999999", 999900}};
  for (const auto& [text, version] : cases) EXPECT_EQ(torch_specifier(text).value_or(kNotTorch), version) << text;
}

TEST(DependencyFiles, Requirements) {
  EXPECT_EQ(
      torch_in_requirements("# torch==1.0\n-r base.txt\n--extra-index-url https://x/torch\nnumpy\n"
                            "torchvision==0.15\ntorch==2.1.0 \\\n    --hash=sha256:00 # via x\ntorch>=2.0 # why\r\n"),
      (FoundTorch{{201, 6}, {200, 8}}));
  EXPECT_EQ(torch_in_requirements("torch"), (FoundTorch{{0, 1}}));
  EXPECT_EQ(torch_in_requirements(""), FoundTorch{});
}

TEST(DependencyFiles, PyprojectOfPep621) {
  EXPECT_EQ(torch_in_pyproject("[build-system]\nrequires = [\"setuptools\", \"torch == 2.9.0\"]\n"
                               "[project]\nname = \"x\"\nkeywords = [\"torch\"]\nrequires-python = \">=3.9\"\n"
                               "dependencies = [\n  \"numpy[x]>=1\",  # torch==1.0\n  'torch>=2.2,<3',\n]\n"
                               "[project.optional-dependencies]\nall = [\"torch[opt]~=2.3\"]\n"
                               "[dependency-groups]\ndev = [\"torch\"]\n"
                               "[tool.ruff.lint.isort]\nknown-third-party = [\"torch\"]\n"),
            (FoundTorch{{209, 2}, {202, 9}, {203, 12}, {0, 14}}));
}

TEST(DependencyFiles, PyprojectOfPoetry) {
  EXPECT_EQ(
      torch_in_pyproject("[tool.poetry.dependencies]\npython = \"^3.9\"\ntorch = \"^2.1\"\ntorchvision = \"0.15\"\n"
                         "[tool.poetry.group.gpu.dependencies]\ntorch = { version = \"~2.0\", source = \"pt\" }\n"
                         "[tool.poetry.group.old.dependencies]\ntorch = [\n"
                         "  {version = \"1.13.1\", python = \"<3.8\"},\n"
                         "  {url = \"https://x/torch-2.4.0-cp310.whl\"},\n]\n"
                         "[tool.poetry.dependencies.torch]\nversion = \">=1.12\"\nsource = \"torch\"\n"
                         "[tool.uv.sources]\ntorch = [{ index = \"pytorch-cu118\" }]\n"),
      (FoundTorch{{201, 3}, {200, 6}, {113, 9}, {204, 10}, {112, 13}}));
}

TEST(DependencyFiles, SetupCfg) {
  EXPECT_EQ(torch_in_setup_cfg("[metadata]\nname = torch\n[options]\npython_requires = >=3.8\ninstall_requires =\n"
                               "    numpy\n    torch>=1.10  # why\n[options.extras_require]\ngpu = torch==2.0\n"
                               "[isort]\nknown = torch\n"),
            (FoundTorch{{110, 7}, {200, 9}}));
}

TEST(DependencyFiles, SetupPy) {
  EXPECT_EQ(torch_in_setup_py("import torch\n\"\"\"torch>=0.1\n\"\"\"\n# 'torch==0.2'\nKEYWORDS = ['torch']\n"
                              "_deps = [\n    'numpy',\n    \"torch>=1.8\",\n]\n"
                              "setup(keywords='torch', install_requires=['torch', 'torchvision'],\n"
                              "      extras_require={'x': ['torch~=2.0']},\n      url='torch>=1.8 is required')\n"),
            (FoundTorch{{108, 8}, {0, 10}, {200, 11}}));
  EXPECT_EQ(torch_in_setup_py("install_requires = ['torch"), (FoundTorch{{0, 1}}));
  EXPECT_EQ(torch_in_setup_py("'\\"), FoundTorch{});
}

TEST(DependencyFiles, Environment) {
  EXPECT_EQ(torch_in_environment("name: torch\nchannels:\n  - pytorch\n  - conda-forge\ndependencies:\n"
                                 "  - python=3.10\n  - pytorch=2.1=py3.9_cuda11*\n  - conda-forge::pytorch>=2.0,<2.3\n"
                                 "  - \"pytorch 2.2.* cuda*\"  # x\n  - pytorch-cuda=11.8\n  - pytorch-lightning\n"
                                 "  - pip:\n    - torch==1.13.1\n    - torchvision\n"),
            (FoundTorch{{201, 7}, {200, 8}, {202, 9}, {113, 13}}));
}

TEST(ProjectTorch, TakesTheLowestOfAllFiles) {
  const TempDir dir;
  EXPECT_FALSE(project_torch(dir.path()));
  EXPECT_FALSE(project_torch(dir / "none"));
  dir.write("requirements.txt", "numpy\ntorch\n");
  const auto unpinned = project_torch(dir.path());
  ASSERT_TRUE(unpinned);
  EXPECT_EQ(unpinned->version, 0u);
  EXPECT_EQ(unpinned->text, "");
  EXPECT_EQ(unpinned->where, "requirements.txt:2");
  dir.write("pyproject.toml", "[project]\ndependencies = ['torch>=2.4']\n");
  EXPECT_EQ(project_torch(dir.path())->where, "pyproject.toml:2");
  dir.write("requirements/gpu.txt", "\ntorch==2.1\n");
  dir.write("requirements-dev.txt", "torch==2.1\n");
  dir.write("sub/requirements.txt", "torch==1.0\n");
  dir.write("environment.yaml", "dependencies:\n- pytorch=2.6\n");
  const auto lowest = project_torch(dir.path());
  EXPECT_EQ(lowest->version, 201u);
  EXPECT_EQ(lowest->text, "2.1");
  EXPECT_EQ(lowest->where, "requirements-dev.txt:1");
}

TEST(ProjectTorch, ReadsWhatPowerShellWrites) {
  const TempDir dir;
  std::string utf16 = "\xff\xfe";
  for (const char c : std::string("torch==2.3\r\n")) utf16 += {c, '\0'};
  dir.write("requirements.txt", utf16);
  ASSERT_TRUE(project_torch(dir.path()));
  EXPECT_EQ(project_torch(dir.path())->version, 203u);
}

}  // namespace
}  // namespace torchport
