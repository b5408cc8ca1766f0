#include "cli/commands.h"

int main(int argc, char** argv) { return torchport::run_torchport(argc, argv); }
