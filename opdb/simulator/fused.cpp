// Operators that PyTorch asks of every accelerator and that no CPU kernel answers: convolution, and the fused cells of LSTM and GRU.
// They compute on the host's view of device memory and bring the results back.
#include <ATen/ATen.h>
#include <torch/library.h>

#include "simulator.h"

namespace torchport::simulator {
namespace {

using at::Tensor;
using c10::IntArrayRef;
using Optional = std::optional<Tensor>;

Tensor host(const Tensor& tensor) {
  return tensor.defined() ? as_host(tensor) : tensor;
}
Tensor host(const Optional& tensor) {
  return tensor && tensor->defined() ? as_host(*tensor) : Tensor();
}
Tensor device(const Tensor& tensor) {
  return tensor.defined() ? tensor.to(at::Device(kDeviceType, 0)) : tensor;
}

Tensor convolution(const Tensor& input, const Tensor& weight, const Optional& bias, IntArrayRef stride, IntArrayRef padding,
                   IntArrayRef dilation, bool transposed, IntArrayRef output_padding, int64_t groups) {
  check_same_device({input, weight, bias.value_or(Tensor())}, "convolution");
  return device(at::convolution(host(input), host(weight), host(bias), stride, padding, dilation, transposed, output_padding, groups));
}

std::tuple<Tensor, Tensor, Tensor> convolution_backward(const Tensor& grad, const Tensor& input, const Tensor& weight, IntArrayRef stride,
                                                        IntArrayRef padding, IntArrayRef dilation, bool transposed,
                                                        IntArrayRef output_padding, int64_t groups, std::array<bool, 3> mask) {
  const int64_t bias_size = grad.size(1);
  auto [grad_input, grad_weight, grad_bias] =
      at::convolution_backward(host(grad), host(input), host(weight), IntArrayRef(bias_size), stride, padding, dilation, transposed,
                               output_padding, groups, mask);
  return {device(grad_input), device(grad_weight), device(grad_bias)};
}

Tensor plus(const Tensor& gates, const Tensor& bias) {
  return bias.defined() ? gates + bias : gates;
}

// The workspace keeps the four gates after their activation: input, forget, cell, output.
std::tuple<Tensor, Tensor, Tensor> lstm_cell(const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& cx, const Optional& input_bias,
                                             const Optional& hidden_bias) {
  const auto gates = (plus(host(input_gates), host(input_bias)) + plus(host(hidden_gates), host(hidden_bias))).chunk(4, 1);
  const Tensor in = gates[0].sigmoid(), forget = gates[1].sigmoid(), cell = gates[2].tanh(), out = gates[3].sigmoid();
  const Tensor cy = forget * host(cx) + in * cell;
  return {device(out * cy.tanh()), device(cy), device(at::cat({in, forget, cell, out}, 1))};
}

std::tuple<Tensor, Tensor, Tensor> lstm_cell_backward(const Optional& grad_hy, const Optional& grad_cy, const Tensor& cx, const Tensor& cy,
                                                      const Tensor& workspace, bool has_bias) {
  const Tensor cell_state = host(cy);
  const Tensor hy = host(grad_hy).defined() ? host(grad_hy) : at::zeros_like(cell_state);
  const auto gates = host(workspace).chunk(4, 1);
  const Tensor &in = gates[0], &forget = gates[1], &cell = gates[2], &out = gates[3];
  const Tensor tanh = cell_state.tanh();
  Tensor state = hy * out * (1 - tanh * tanh);
  if (host(grad_cy).defined()) state = state + host(grad_cy);
  const Tensor grad_gates = at::cat({state * cell * in * (1 - in), state * host(cx) * forget * (1 - forget), state * in * (1 - cell * cell),
                                     hy * tanh * out * (1 - out)}, 1);
  return {device(grad_gates), device(state * forget), device(has_bias ? grad_gates.sum(0) : Tensor())};
}

// The workspace keeps reset, update and new gate, the old state, and the hidden part of the new gate.
std::tuple<Tensor, Tensor> gru_cell(const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& hx, const Optional& input_bias,
                                    const Optional& hidden_bias) {
  const auto in = plus(host(input_gates), host(input_bias)).chunk(3, 1);
  const auto hidden = plus(host(hidden_gates), host(hidden_bias)).chunk(3, 1);
  const Tensor old = host(hx);
  const Tensor reset = (in[0] + hidden[0]).sigmoid(), update = (in[1] + hidden[1]).sigmoid(), fresh = (in[2] + reset * hidden[2]).tanh();
  return {device(fresh + update * (old - fresh)), device(at::cat({reset, update, fresh, old, hidden[2]}, 1))};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> gru_cell_backward(const Tensor& grad_hy, const Tensor& workspace, bool has_bias) {
  const auto kept = host(workspace).chunk(5, 1);
  const Tensor &reset = kept[0], &update = kept[1], &fresh = kept[2], &old = kept[3], &hidden_fresh = kept[4];
  const Tensor grad = host(grad_hy);
  const Tensor grad_fresh = grad * (1 - update) * (1 - fresh * fresh);
  const Tensor grad_reset = grad_fresh * hidden_fresh * reset * (1 - reset);
  const Tensor grad_update = grad * (old - fresh) * update * (1 - update);
  const Tensor grad_in = at::cat({grad_reset, grad_update, grad_fresh}, 1);
  const Tensor grad_hidden = at::cat({grad_reset, grad_update, grad_fresh * reset}, 1);
  return {device(grad_in), device(grad_hidden), device(grad * update), device(has_bias ? grad_in.sum(0) : Tensor()),
          device(has_bias ? grad_hidden.sum(0) : Tensor())};
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("convolution_overrideable", convolution);
  library.impl("convolution_backward_overrideable", convolution_backward);
  library.impl("_thnn_fused_lstm_cell", lstm_cell);
  library.impl("_thnn_fused_lstm_cell_backward_impl", lstm_cell_backward);
  library.impl("_thnn_fused_gru_cell", gru_cell);
  library.impl("_thnn_fused_gru_cell_backward", gru_cell_backward);
}

}  // namespace
}  // namespace torchport::simulator
