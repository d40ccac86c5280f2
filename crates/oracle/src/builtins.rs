//! Built-ins of the notation by name, as listed in `spec/semantics.md`.

/// Defines the enumeration and the lookup by name.
macro_rules! builtins {
    ($($kind:ident $name:literal),* $(,)?) => {
        /// Built-in of the notation; `spec/semantics.md` defines each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Builtin {
            $($kind),*
        }

        impl Builtin {
            /// Returns the built-in of a name, if it can be evaluated.
            pub(crate) fn from_name(name: &str) -> Option<Self> {
                Some(match name {
                    $($name => Self::$kind,)*
                    _ => return None,
                })
            }
        }
    };
}

builtins! {
    ExecSize "exec_size", GrfBytes "grf_bytes", Active "active",
    Min "min", Max "max", Abs "abs", Floor "floor", Ceil "ceil", Trunc "trunc", Rint "rint",
    Fma "fma", Near "near", Sqrt "sqrt", Rsqrt "rsqrt", Exp2 "exp2", Log2 "log2", Sin "sin", Cos "cos", Inv "inv",
    Tanh "tanh", Sigmoid "sigmoid", Pow2 "pow2", Bits "bits", Low "low", High "high", At "at",
    IsNull "is_null", IsPred "is_pred", IsAddress "is_address", IsFloat "is_float", IsSigned "is_signed", IsScalar "is_scalar", Type "type",
    BytesOf "bytes_of", StrideOf "stride_of", AddressOf "address_of", Raw "raw", Surface "surface", Memory "memory",
    Texel "texel", SampleOf "sample_of", Sampled "sampled", Compared "compared", Gathered "gathered",
    GatheredCompared "gathered_compared", GradientLod "gradient_lod", PixelLod "pixel_lod", ClampedLod "clamped_lod",
    NarrowParams "narrow_params", Moved "moved", Block "block", Resinfo "resinfo", Sampleinfo "sampleinfo",
    Fused "fused", Loose "loose", Lsc "lsc", Mapped "mapped", Atomic "atomic", MemoryBytes "memory_bytes", RegisterBytes "register_bytes",
    ToRegister "to_register", ToMemory "to_memory", ElementBits "element_bits", MatrixElement "element", ScaleOf "scale_of", Symbol "symbol",
    Branch "branch", Jump "jump", Call "call", Return "return", Function "function", Leave "leave", Barrier "barrier",
    Signal "signal", Wait "wait", Dependencies "dependencies", Fence "fence",
    ToBf8 "to_bf8", FromBf8 "from_bf8", ToHf8 "to_hf8", FromHf8 "from_hf8", ToTf32 "to_tf32", RoundBy "round_by",
}
