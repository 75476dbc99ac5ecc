/** Version of the ONNX Runtime that runs models which kbdb's own encoder does not; a test compares it with the package. */
export const ONNX_RUNTIME_VERSION = "1.30.0";
