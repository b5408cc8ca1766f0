// What a safe fix must not do: change anything on a CUDA machine, break what ran on a host without an accelerator, or take a by-hand tie out
// from behind its condition. Each row was once done wrong.
#include <gtest/gtest.h>

#include "tests/support/python_facts.h"

namespace torchport {
namespace {

using test::fixed;
using test::safely_fixed;

struct Row {
  const char* name;
  const char* source;
  const char* without;  // what the safe result must not hold
};

class SafeFix : public testing::TestWithParam<Row> {};

TEST_P(SafeFix, LeavesWhatItWouldBreak) {
  const std::string after = safely_fixed(std::string("import torch\n") + GetParam().source);
  EXPECT_EQ(after.find(GetParam().without), std::string::npos) << after;
}

INSTANTIATE_TEST_SUITE_P(
    All, SafeFix,
    testing::Values(
        Row{"a_chosen_index", "d = \"cuda:1\" if torch.cuda.is_available() else \"cpu\"\n", "current_accelerator"},
        Row{"an_index_that_is_asked_for", "d = torch.device(\"cuda:0\" if torch.cuda.is_available() else \"cpu\")\nprint(d.index)\n",
            "current_accelerator"},
        Row{"a_string_for_a_device", "device = \"cuda\"\nwith torch.device(\"cuda\"): f()\n", "with device:"},
        Row{"the_type_of_a_string",
            "device = \"cuda\" if torch.cuda.is_available() else \"mps\" if torch.backends.mps.is_available() else \"cpu\"\nx = f\"cuda:{1}\"\n",
            "device.type"},
        Row{"a_device_before_the_variable", "import os\nos.environ[\"CUDA_VISIBLE_DEVICES\"] = \"1\"\nm = torch.nn.Linear(1, 1).cuda()\n", "\nDEVICE ="},
        Row{"a_device_before_a_fork", "import multiprocessing as mp\ndef work():\n    torch.zeros(1).cuda()\n", "\nDEVICE ="},
        Row{"the_condition_of_a_method_that_is_handed_on", "move = x.cuda if torch.cuda.is_available() else f\nmove()\n", "accelerator"},
        Row{"an_option_set_twice", "args.device = \"cuda\"\nargs.device = \"cpu\"\ny = torch.zeros(1).cuda()\n", ".to(args.device)"},
        Row{"an_attribute_set_twice",
            "class A:\n    def __init__(self):\n        self.device = \"cuda\"\n    def off(self):\n        self.device = \"cpu\"\n    def f(self):\n"
            "        return torch.zeros(1).cuda()\n",
            ".to(self.device)"},
        Row{"a_closure_over_a_name_bound_again",
            "def f():\n    device = torch.device(\"cuda\")\n    def inner():\n        return torch.zeros(1).cuda()\n    device = torch.device(\"cpu\")\n"
            "    return inner()\n",
            ".to(device)"},
        Row{"gpu_is_no_device", "name = \"gpu\" if torch.cuda.is_available() else \"cpu\"\n", "current_accelerator"},
        Row{"autocast_on_the_cpu",
            "with torch.autocast(\"cuda\" if torch.cuda.is_available() else \"cpu\", dtype=torch.bfloat16):\n    f()\n", "enabled="},
        Row{"a_device_compared", "if x.device == torch.device(\"cuda\"):\n    f()\n", "== DEVICE"},
        Row{"no_device_at_all", "def pick(name):\n    if name == \"cuda\":\n        return torch.device(\"cuda\")\n",
            "current_accelerator(check_available=True)\n"},
        Row{"a_guard_of_what_wants_a_review", "if torch.cuda.is_available():\n    x = x.cuda(gpu)\n", "if torch.accelerator"},
        Row{"what_is_looked_up", "d = (\"cpu\", \"cuda\")[torch.cuda.is_available()]\n", "torch.accelerator"},
        Row{"a_helper_of_what_has_no_fix",
            "def have():\n    return torch.cuda.is_available()\nif have():\n    torch.cuda.get_device_capability()\n", "torch.accelerator"},
        Row{"an_import_under_the_guard", "if torch.cuda.is_available():\n    import my_cuda_ops\n", "torch.accelerator"},
        Row{"a_function_chosen_by_condition", "sync = torch.cuda.synchronize if kind == \"cuda\" else lambda: None\nsync()\n", "torch.accelerator"},
        Row{"an_argument_by_position_behind_a_keyword", "from torch.cuda.amp import autocast\nwith autocast(True, torch.float16, True): f()\n", "\", True)"},
        Row{"an_argument_in_the_place_of_another", "with torch.autocast(\"cuda\", torch.float16, True, False): f()\n", "torch.float16, False"},
        Row{"an_argument_given_twice", "with torch.autocast(\"cuda\", torch.float16, True, False): f()\n", "enabled="},
        Row{"a_device_type_is_a_string", "with torch.autocast(device_type=\"cuda\" if torch.cuda.is_available() else \"cpu\"): f()\n", "device_type=DEVICE,"},
        Row{"a_keyword_of_anybody", "print(json.dumps(dict(device=\"cuda\" if torch.cuda.is_available() else \"cpu\")))\n", "device=DEVICE)"},
        Row{"an_index_for_a_rank", "torch.load(p, map_location=f\"cuda:{rank}\")\n", "map_location=DEVICE)"},
        Row{"a_message", "raise torch.cuda.OutOfMemoryError(\"out of memory\")\n", "raise torch.OutOfMemoryError\n"},
        Row{"what_is_suppressed", "with contextlib.suppress(Exception):\n    torch.cuda.set_device(0)\n    print(1)\n", "torch.accelerator"},
        Row{"an_f_string_that_prints_itself", "print(f\"{torch.cuda.is_available()=}\")\n", "accelerator"},
        Row{"a_patched_function", "def n(): return torch.cuda.device_count()\nwith mock.patch(\"torch.cuda.device_count\", return_value=4): n()\n", "return torch.accelerator"},
        Row{"a_cleanup_handed_on", "all = [gc.collect, torch.cuda.empty_cache]\n", "accelerator"},
        Row{"a_probe_by_try", "def has():\n    try:\n        torch.zeros(1).cuda()\n        return True\n    except Exception:\n        return False\n", ".to("},
        Row{"a_probe_that_keeps_a_flag", "ok = False\ntry:\n    torch.cuda.synchronize()\n    ok = True\nexcept RuntimeError:\n    pass\n", "torch.accelerator"},
        Row{"an_index_by_default", "def f(m, gpu=0):\n    return m.cuda(gpu)\n", ".to("},
        Row{"an_option_that_is_no_device", "import argparse\np = argparse.ArgumentParser()\np.add_argument(\"--framework\", default=\"cuda\")\n", "DEVICE"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(SafeFixes, KeepCommentsInsideCalls) {
  const std::string text = "import torch\nx = torch.load(\n    \"f\",  # the file\n    map_location=\"cuda\",  # keep\n)\n";
  const std::string after = fixed(text);
  EXPECT_NE(after.find("# the file"), std::string::npos) << after;
  EXPECT_NE(after.find("# keep"), std::string::npos) << after;
}

TEST(SafeFixes, TakeAdjacentStringsForOne) {
  const std::string after = fixed("import torch\nx = torch.zeros(3, device=\"cuda\" \":0\")\n");
  EXPECT_EQ(after.find("\":0\""), std::string::npos) << after;
}

TEST(SafeFixes, GoOnWhereAnErrorIsRaisedAgain) {
  const std::string after = test::safely_fixed("import torch\ntry:\n    torch.zeros(1).cuda()\nexcept RuntimeError as e:\n    log(e)\n    raise\n");
  EXPECT_NE(after.find(".to(DEVICE)"), std::string::npos) << after;
  const std::string cleanup = test::safely_fixed("import torch\ntry:\n    torch.cuda.empty_cache()\nexcept Exception:\n    pass\n");
  EXPECT_NE(cleanup.find("torch.accelerator.empty_cache()"), std::string::npos) << cleanup;
}

TEST(SafeFixes, AskForTheDeviceLateWhereItComesLate) {
  EXPECT_EQ(test::safely_fixed("import multiprocessing\nimport torch\n\ndef work(rank):\n    return f(torch.zeros(1).cuda(), f\"cuda:{rank}\")\n"),
            "import multiprocessing\nimport torch\n\n\ndef get_device():\n"
            "    return torch.accelerator.current_accelerator(check_available=True) or torch.device(\"cpu\")\n\n"
            "def work(rank):\n    return f(torch.zeros(1).to(get_device()), f\"cuda:{rank}\")\n");
}

TEST(SafeFixes, KeepOneArgumentALine) {
  EXPECT_EQ(test::fixed("import torch\n\ndevice = torch.device(\"cuda\")\ns = torch.cuda.amp.GradScaler(\n    init_scale=1,\n    growth_interval=2,\n)\n"),
            "import torch\n\ndevice = torch.accelerator.current_accelerator(check_available=True) or torch.device(\"cpu\")\n"
            "s = torch.amp.GradScaler(\n    device.type,\n    init_scale=1,\n    growth_interval=2,\n    enabled=device.type != \"cpu\",\n)\n");
}

TEST(SafeFixes, KeepASeedThatIsDrawn) {
  EXPECT_EQ(test::safely_fixed("import torch\ntorch.manual_seed(draw())\ntorch.cuda.manual_seed(draw())\n"), "import torch\ntorch.manual_seed(draw())\ntorch.cuda.manual_seed(draw())\n");
}

TEST(SafeFixes, ImportTorchWhereItIsForTypesOnly) {
  EXPECT_NE(test::safely_fixed("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch\ndef f(x):\n    return x.cuda()\n").find("import torch\nfrom typing"), std::string::npos);
}

TEST(SafeFixes, KeepTheMessageOfAnError) {
  EXPECT_EQ(test::safely_fixed("import torch\nraise torch.cuda.OutOfMemoryError(\"out\")\n"), "import torch\nraise torch.OutOfMemoryError(\"out\")\n");
}

TEST(UnsafeFixes, PutNoValueForAFunction) {
  const std::string text = "import torch\nnames = list(map(torch.cuda.get_device_name, range(2)))\n";
  EXPECT_EQ(fixed(text), text);
}

TEST(UnsafeFixes, TakeNoOtherStringForADevice) {
  EXPECT_EQ(fixed("import torch\nDEVICE = \"/dev/video0\"\ndef g(x):\n    return x.cuda()\n").find(".to(DEVICE)"), std::string::npos);
}

TEST(SafeFixes, TakeBothSeedsAway) {
  EXPECT_EQ(test::safely_fixed("import torch\ntorch.manual_seed(s)\ntorch.cuda.manual_seed(s)\ntorch.cuda.manual_seed_all(s)  # every card\nf()\n"),
            "import torch\ntorch.manual_seed(s)\nf()\n");
}

TEST(UnsafeFixes, LeaveAnOptionThatIsNoDeviceYet) {
  const std::string after = fixed("import argparse\nimport torch\np = argparse.ArgumentParser()\np.add_argument(\"--device\", default=\"\")\n\n"
                                  "def main(opt):\n    device = select(opt.device)\n    return torch.zeros(1).cuda()\n\ndef other(opt):\n"
                                  "    return opt.device, torch.zeros(1).cuda()\n");
  EXPECT_EQ(after.find("to(opt.device)"), std::string::npos) << after;
}

TEST(UnsafeFixes, KnowADeviceByItsType) {
  const std::string after = fixed("import torch\n\ndef f(device):\n    fast = device.type != \"cpu\"\n    return fast, torch.device(\"cuda\", 1)\n");
  EXPECT_NE(after.find("torch.device(device.type, 1)"), std::string::npos) << after;
}

TEST(UnsafeFixes, TakeRoomForNoData) {
  const std::string text = "import torch\n\ndef f(max_len, values):\n    torch.arange(3, out=torch.cuda.LongTensor(values))\n    return torch.cuda.LongTensor(max_len)\n";
  EXPECT_EQ(fixed(text), text);
}

TEST(UnsafeFixes, TakeAListForData) {
  EXPECT_NE(fixed("import torch\nx = torch.cuda.FloatTensor([float(total_size)])\n").find("torch.as_tensor([float(total_size)]"), std::string::npos);
}

TEST(UnsafeFixes, MakeNoDeviceOfADevice) {
  const std::string after = fixed("import torch\n\ndef f(x, device=None):\n    device = device or torch.cuda.current_device()\n    return x.to(device)\n");
  EXPECT_EQ(after.find(".device(torch.device(device)"), std::string::npos) << after;
}

TEST(UnsafeFixes, CallToWithWhatItTakes) {
  EXPECT_EQ(fixed("import torch\ntorch.Tensor.cuda(x)\n"), "import torch\ntorch.Tensor.cuda(x)\n");
  EXPECT_NE(fixed("import torch\ndef f(x, where):\n    return x.cuda(where)\n").find("x.to(where)"), std::string::npos);
}

TEST(SafeFixes, AskForNcclUnderACondition) {
  EXPECT_NE(safely_fixed("import torch\nif torch.cuda.is_available():\n    n = torch.cuda.device_count()\n    if n == 1 and backend == \"nccl\":\n        warn(\"nccl wants more\")\n")
                .find("torch.accelerator.is_available()"),
            std::string::npos);
}

TEST(SafeFixes, BringNoBracketsThatNothingNeeds) {
  const std::string choice = "torch.accelerator.current_accelerator(check_available=True) or torch.device(\"cpu\")";
  EXPECT_EQ(safely_fixed("def f(x):\n    import torch\n    return x.to(\"cuda\", non_blocking=True), x.cuda(), torch.zeros(1, device=\"cuda\"), g(\"cuda\" if torch.cuda.is_available() else \"cpu\")\n"),
            "def f(x):\n    import torch\n    return x.to(" + choice + ", non_blocking=True), x.to(" + choice + "), torch.zeros(1, device=" + choice + "), g((" + choice + ").type)\n");
}

TEST(UnsafeFixes, AskNothingOfAConstant) {
  const auto fixed_call = [](const std::string& call) {
    const std::string after = fixed("import torch\ndef f(device: torch.device):\n    return " + call + "\n");
    return after.substr(after.find("return ") + 7);
  };
  EXPECT_EQ(fixed_call("torch.cuda.amp.autocast(enabled=False)"), "torch.amp.autocast(device.type, enabled=False)\n");
  EXPECT_EQ(fixed_call("torch.cuda.amp.autocast(True)"), "torch.amp.autocast(device.type, enabled=device.type != \"cpu\")\n");
  EXPECT_EQ(fixed_call("torch.autocast(\"cuda\", enabled=False)"), "torch.autocast(device.type, enabled=False)\n");
}

TEST(SafeFixes, ImportTorchOnce) {
  EXPECT_EQ(safely_fixed("from torch import cuda\nfrom torch.cuda.amp import autocast\n\ndef f(x):\n    cuda.synchronize()\n    with autocast():\n        return x\n"),
            "import torch\nfrom torch.amp import autocast\n\nDEVICE = torch.accelerator.current_accelerator(check_available=True) or torch.device(\"cpu\")\n\n"
            "def f(x):\n    if torch.accelerator.is_available():\n        torch.accelerator.synchronize()\n    with autocast(DEVICE.type, enabled=DEVICE.type != \"cpu\"):\n        return x\n");
}

TEST(Findings, DefaultsThatAreFetched) {
  EXPECT_EQ(test::findings("import torch\nx.to(cfg.get(\"device\", \"cuda\"))\n"), "TP101@2");
  EXPECT_EQ(test::findings("import torch\nx.to(getattr(args, \"device\", \"cuda\"))\n"), "TP101@2");
  EXPECT_EQ(test::findings("import torch\nx.to(\"cuda:\" + str(i))\n"), "TP101@2");
}

TEST(Findings, DevicesThatAreCountedOff) {
  EXPECT_EQ(test::findings("import torch\nall = [f\"cuda:{i}\" for i in ids]\n"), "TP101@2");
  EXPECT_EQ(test::findings("import torch\nall = list(map(lambda i: \"cuda:%d\" % i, ids))\n"), "TP101@2");
  EXPECT_EQ(test::findings("import torch\nlines = [f\"cuda: {v}\" for v in versions]\n"), "");
}

TEST(Findings, FunctionsChosenByCondition) {
  EXPECT_EQ(test::findings("import torch\nsync = torch.cuda.synchronize if fast else lambda: None\nsync()\nagain = torch.cuda.synchronize\nagain()\n"), "TP157@2, TP157@4, TP157@5");
}

TEST(Findings, WordsThatAreNoDevices) {
  EXPECT_EQ(test::findings("import torch\nopen(\"cuda\")\njax.devices(\"cuda\")\np = ArgumentParser(\"cuda\")\n"), "");
}

}  // namespace
}  // namespace torchport
