//! The vector instructions of the host by mnemonic, in the widths that exist. AVX-512 is needed for
//! vectors of 64 bytes, for mask registers, and for the codes after a bar, which can name all
//! registers.

use iced_x86::Code;

use crate::backend::asm::operand::Op;

macro_rules! ops {
    ($($name:ident: $x:ident $y:ident $z:ident $(| $far_x:ident $far_y:ident)?;)*) => {
        $(pub(crate) const $name: Op = Op(Code::$x, Code::$y, Code::$z);)*

        /// Returns the variant of an instruction that can name the far registers.
        pub(crate) fn far(code: Code) -> Code {
            match code {
                $($(Code::$x => Code::$far_x, Code::$y => Code::$far_y,)?)*
                Code::VEX_Vmovd_xmm_rm32 => Code::EVEX_Vmovd_xmm_rm32,
                Code::VEX_Vmovd_rm32_xmm => Code::EVEX_Vmovd_rm32_xmm,
                Code::VEX_Vmovq_xmm_xmmm64 => Code::EVEX_Vmovq_xmm_xmmm64,
                Code::VEX_Vmovq_xmmm64_xmm => Code::EVEX_Vmovq_xmmm64_xmm,
                Code::VEX_Vmovq_rm64_xmm => Code::EVEX_Vmovq_rm64_xmm,
                Code::VEX_Vmovq_xmm_rm64 => Code::EVEX_Vmovq_xmm_rm64,
                Code::VEX_Vucomiss_xmm_xmmm32 => Code::EVEX_Vucomiss_xmm_xmmm32_sae,
                Code::VEX_Vucomisd_xmm_xmmm64 => Code::EVEX_Vucomisd_xmm_xmmm64_sae,
                Code::VEX_Vpextrd_rm32_xmm_imm8 => Code::EVEX_Vpextrd_rm32_xmm_imm8,
                Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8 => Code::EVEX_Vinserti32x4_ymm_k1z_ymm_xmmm128_imm8,
                Code::VEX_Vextracti128_xmmm128_ymm_imm8 => Code::EVEX_Vextracti32x4_xmmm128_k1z_ymm_imm8,
                other => other,
            }
        }
    };
}

#[rustfmt::skip]
ops! {
    MOVUPS: VEX_Vmovups_xmm_xmmm128 VEX_Vmovups_ymm_ymmm256 EVEX_Vmovups_zmm_k1z_zmmm512 | EVEX_Vmovups_xmm_k1z_xmmm128 EVEX_Vmovups_ymm_k1z_ymmm256;
    MOVUPS_STORE: VEX_Vmovups_xmmm128_xmm VEX_Vmovups_ymmm256_ymm EVEX_Vmovups_zmmm512_k1z_zmm | EVEX_Vmovups_xmmm128_k1z_xmm EVEX_Vmovups_ymmm256_k1z_ymm;
    BROADCASTD: VEX_Vpbroadcastd_xmm_xmmm32 VEX_Vpbroadcastd_ymm_xmmm32 EVEX_Vpbroadcastd_zmm_k1z_xmmm32 | EVEX_Vpbroadcastd_xmm_k1z_xmmm32 EVEX_Vpbroadcastd_ymm_k1z_xmmm32;
    BROADCASTSS: VEX_Vbroadcastss_xmm_m32 VEX_Vbroadcastss_ymm_m32 EVEX_Vbroadcastss_zmm_k1z_xmmm32 | EVEX_Vbroadcastss_xmm_k1z_xmmm32 EVEX_Vbroadcastss_ymm_k1z_xmmm32;
    BROADCASTQ: VEX_Vpbroadcastq_xmm_xmmm64 VEX_Vpbroadcastq_ymm_xmmm64 EVEX_Vpbroadcastq_zmm_k1z_xmmm64 | EVEX_Vpbroadcastq_xmm_k1z_xmmm64 EVEX_Vpbroadcastq_ymm_k1z_xmmm64;
    BROADCASTW: VEX_Vpbroadcastw_xmm_xmmm16 VEX_Vpbroadcastw_ymm_xmmm16 EVEX_Vpbroadcastw_zmm_k1z_xmmm16 | EVEX_Vpbroadcastw_xmm_k1z_xmmm16 EVEX_Vpbroadcastw_ymm_k1z_xmmm16;
    BROADCASTB: VEX_Vpbroadcastb_xmm_xmmm8 VEX_Vpbroadcastb_ymm_xmmm8 EVEX_Vpbroadcastb_zmm_k1z_xmmm8 | EVEX_Vpbroadcastb_xmm_k1z_xmmm8 EVEX_Vpbroadcastb_ymm_k1z_xmmm8;
    PADDB: VEX_Vpaddb_xmm_xmm_xmmm128 VEX_Vpaddb_ymm_ymm_ymmm256 EVEX_Vpaddb_zmm_k1z_zmm_zmmm512 | EVEX_Vpaddb_xmm_k1z_xmm_xmmm128 EVEX_Vpaddb_ymm_k1z_ymm_ymmm256;
    PADDW: VEX_Vpaddw_xmm_xmm_xmmm128 VEX_Vpaddw_ymm_ymm_ymmm256 EVEX_Vpaddw_zmm_k1z_zmm_zmmm512 | EVEX_Vpaddw_xmm_k1z_xmm_xmmm128 EVEX_Vpaddw_ymm_k1z_ymm_ymmm256;
    PADDD: VEX_Vpaddd_xmm_xmm_xmmm128 VEX_Vpaddd_ymm_ymm_ymmm256 EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32 | EVEX_Vpaddd_xmm_k1z_xmm_xmmm128b32 EVEX_Vpaddd_ymm_k1z_ymm_ymmm256b32;
    PADDQ: VEX_Vpaddq_xmm_xmm_xmmm128 VEX_Vpaddq_ymm_ymm_ymmm256 EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64 | EVEX_Vpaddq_xmm_k1z_xmm_xmmm128b64 EVEX_Vpaddq_ymm_k1z_ymm_ymmm256b64;
    PSUBB: VEX_Vpsubb_xmm_xmm_xmmm128 VEX_Vpsubb_ymm_ymm_ymmm256 EVEX_Vpsubb_zmm_k1z_zmm_zmmm512 | EVEX_Vpsubb_xmm_k1z_xmm_xmmm128 EVEX_Vpsubb_ymm_k1z_ymm_ymmm256;
    PSUBW: VEX_Vpsubw_xmm_xmm_xmmm128 VEX_Vpsubw_ymm_ymm_ymmm256 EVEX_Vpsubw_zmm_k1z_zmm_zmmm512 | EVEX_Vpsubw_xmm_k1z_xmm_xmmm128 EVEX_Vpsubw_ymm_k1z_ymm_ymmm256;
    PSUBD: VEX_Vpsubd_xmm_xmm_xmmm128 VEX_Vpsubd_ymm_ymm_ymmm256 EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32 | EVEX_Vpsubd_xmm_k1z_xmm_xmmm128b32 EVEX_Vpsubd_ymm_k1z_ymm_ymmm256b32;
    PSUBQ: VEX_Vpsubq_xmm_xmm_xmmm128 VEX_Vpsubq_ymm_ymm_ymmm256 EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64 | EVEX_Vpsubq_xmm_k1z_xmm_xmmm128b64 EVEX_Vpsubq_ymm_k1z_ymm_ymmm256b64;
    PMULLW: VEX_Vpmullw_xmm_xmm_xmmm128 VEX_Vpmullw_ymm_ymm_ymmm256 EVEX_Vpmullw_zmm_k1z_zmm_zmmm512 | EVEX_Vpmullw_xmm_k1z_xmm_xmmm128 EVEX_Vpmullw_ymm_k1z_ymm_ymmm256;
    PMULLD: VEX_Vpmulld_xmm_xmm_xmmm128 VEX_Vpmulld_ymm_ymm_ymmm256 EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32 | EVEX_Vpmulld_xmm_k1z_xmm_xmmm128b32 EVEX_Vpmulld_ymm_k1z_ymm_ymmm256b32;
    PMULUDQ: VEX_Vpmuludq_xmm_xmm_xmmm128 VEX_Vpmuludq_ymm_ymm_ymmm256 EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64 | EVEX_Vpmuludq_xmm_k1z_xmm_xmmm128b64 EVEX_Vpmuludq_ymm_k1z_ymm_ymmm256b64;
    PMULDQ: VEX_Vpmuldq_xmm_xmm_xmmm128 VEX_Vpmuldq_ymm_ymm_ymmm256 EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64 | EVEX_Vpmuldq_xmm_k1z_xmm_xmmm128b64 EVEX_Vpmuldq_ymm_k1z_ymm_ymmm256b64;
    PAND: VEX_Vpand_xmm_xmm_xmmm128 VEX_Vpand_ymm_ymm_ymmm256 EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32 | EVEX_Vpandd_xmm_k1z_xmm_xmmm128b32 EVEX_Vpandd_ymm_k1z_ymm_ymmm256b32;
    POR: VEX_Vpor_xmm_xmm_xmmm128 VEX_Vpor_ymm_ymm_ymmm256 EVEX_Vpord_zmm_k1z_zmm_zmmm512b32 | EVEX_Vpord_xmm_k1z_xmm_xmmm128b32 EVEX_Vpord_ymm_k1z_ymm_ymmm256b32;
    PXOR: VEX_Vpxor_xmm_xmm_xmmm128 VEX_Vpxor_ymm_ymm_ymmm256 EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32 | EVEX_Vpxord_xmm_k1z_xmm_xmmm128b32 EVEX_Vpxord_ymm_k1z_ymm_ymmm256b32;
    PSLLW: VEX_Vpsllw_xmm_xmm_imm8 VEX_Vpsllw_ymm_ymm_imm8 EVEX_Vpsllw_zmm_k1z_zmmm512_imm8 | EVEX_Vpsllw_xmm_k1z_xmmm128_imm8 EVEX_Vpsllw_ymm_k1z_ymmm256_imm8;
    PSRLW: VEX_Vpsrlw_xmm_xmm_imm8 VEX_Vpsrlw_ymm_ymm_imm8 EVEX_Vpsrlw_zmm_k1z_zmmm512_imm8 | EVEX_Vpsrlw_xmm_k1z_xmmm128_imm8 EVEX_Vpsrlw_ymm_k1z_ymmm256_imm8;
    PSRAW: VEX_Vpsraw_xmm_xmm_imm8 VEX_Vpsraw_ymm_ymm_imm8 EVEX_Vpsraw_zmm_k1z_zmmm512_imm8 | EVEX_Vpsraw_xmm_k1z_xmmm128_imm8 EVEX_Vpsraw_ymm_k1z_ymmm256_imm8;
    PSLLD: VEX_Vpslld_xmm_xmm_imm8 VEX_Vpslld_ymm_ymm_imm8 EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8 | EVEX_Vpslld_xmm_k1z_xmmm128b32_imm8 EVEX_Vpslld_ymm_k1z_ymmm256b32_imm8;
    PSRLD: VEX_Vpsrld_xmm_xmm_imm8 VEX_Vpsrld_ymm_ymm_imm8 EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8 | EVEX_Vpsrld_xmm_k1z_xmmm128b32_imm8 EVEX_Vpsrld_ymm_k1z_ymmm256b32_imm8;
    PSRAD: VEX_Vpsrad_xmm_xmm_imm8 VEX_Vpsrad_ymm_ymm_imm8 EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8 | EVEX_Vpsrad_xmm_k1z_xmmm128b32_imm8 EVEX_Vpsrad_ymm_k1z_ymmm256b32_imm8;
    PSLLQ: VEX_Vpsllq_xmm_xmm_imm8 VEX_Vpsllq_ymm_ymm_imm8 EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8 | EVEX_Vpsllq_xmm_k1z_xmmm128b64_imm8 EVEX_Vpsllq_ymm_k1z_ymmm256b64_imm8;
    PSRLQ: VEX_Vpsrlq_xmm_xmm_imm8 VEX_Vpsrlq_ymm_ymm_imm8 EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8 | EVEX_Vpsrlq_xmm_k1z_xmmm128b64_imm8 EVEX_Vpsrlq_ymm_k1z_ymmm256b64_imm8;
    PSLLVD: VEX_Vpsllvd_xmm_xmm_xmmm128 VEX_Vpsllvd_ymm_ymm_ymmm256 EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32 | EVEX_Vpsllvd_xmm_k1z_xmm_xmmm128b32 EVEX_Vpsllvd_ymm_k1z_ymm_ymmm256b32;
    PSRLVD: VEX_Vpsrlvd_xmm_xmm_xmmm128 VEX_Vpsrlvd_ymm_ymm_ymmm256 EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32 | EVEX_Vpsrlvd_xmm_k1z_xmm_xmmm128b32 EVEX_Vpsrlvd_ymm_k1z_ymm_ymmm256b32;
    PSRAVD: VEX_Vpsravd_xmm_xmm_xmmm128 VEX_Vpsravd_ymm_ymm_ymmm256 EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32 | EVEX_Vpsravd_xmm_k1z_xmm_xmmm128b32 EVEX_Vpsravd_ymm_k1z_ymm_ymmm256b32;
    PSLLVQ: VEX_Vpsllvq_xmm_xmm_xmmm128 VEX_Vpsllvq_ymm_ymm_ymmm256 EVEX_Vpsllvq_zmm_k1z_zmm_zmmm512b64 | EVEX_Vpsllvq_xmm_k1z_xmm_xmmm128b64 EVEX_Vpsllvq_ymm_k1z_ymm_ymmm256b64;
    PSRLVQ: VEX_Vpsrlvq_xmm_xmm_xmmm128 VEX_Vpsrlvq_ymm_ymm_ymmm256 EVEX_Vpsrlvq_zmm_k1z_zmm_zmmm512b64 | EVEX_Vpsrlvq_xmm_k1z_xmm_xmmm128b64 EVEX_Vpsrlvq_ymm_k1z_ymm_ymmm256b64;
    PCMPEQB: VEX_Vpcmpeqb_xmm_xmm_xmmm128 VEX_Vpcmpeqb_ymm_ymm_ymmm256 INVALID;
    PCMPEQW: VEX_Vpcmpeqw_xmm_xmm_xmmm128 VEX_Vpcmpeqw_ymm_ymm_ymmm256 INVALID;
    PCMPEQD: VEX_Vpcmpeqd_xmm_xmm_xmmm128 VEX_Vpcmpeqd_ymm_ymm_ymmm256 INVALID;
    PCMPEQQ: VEX_Vpcmpeqq_xmm_xmm_xmmm128 VEX_Vpcmpeqq_ymm_ymm_ymmm256 INVALID;
    PCMPGTB: VEX_Vpcmpgtb_xmm_xmm_xmmm128 VEX_Vpcmpgtb_ymm_ymm_ymmm256 INVALID;
    PCMPGTW: VEX_Vpcmpgtw_xmm_xmm_xmmm128 VEX_Vpcmpgtw_ymm_ymm_ymmm256 INVALID;
    PCMPGTD: VEX_Vpcmpgtd_xmm_xmm_xmmm128 VEX_Vpcmpgtd_ymm_ymm_ymmm256 INVALID;
    PCMPGTQ: VEX_Vpcmpgtq_xmm_xmm_xmmm128 VEX_Vpcmpgtq_ymm_ymm_ymmm256 INVALID;
    PMINUB: VEX_Vpminub_xmm_xmm_xmmm128 VEX_Vpminub_ymm_ymm_ymmm256 EVEX_Vpminub_zmm_k1z_zmm_zmmm512 | EVEX_Vpminub_xmm_k1z_xmm_xmmm128 EVEX_Vpminub_ymm_k1z_ymm_ymmm256;
    PMINSB: VEX_Vpminsb_xmm_xmm_xmmm128 VEX_Vpminsb_ymm_ymm_ymmm256 EVEX_Vpminsb_zmm_k1z_zmm_zmmm512 | EVEX_Vpminsb_xmm_k1z_xmm_xmmm128 EVEX_Vpminsb_ymm_k1z_ymm_ymmm256;
    PMINUW: VEX_Vpminuw_xmm_xmm_xmmm128 VEX_Vpminuw_ymm_ymm_ymmm256 EVEX_Vpminuw_zmm_k1z_zmm_zmmm512 | EVEX_Vpminuw_xmm_k1z_xmm_xmmm128 EVEX_Vpminuw_ymm_k1z_ymm_ymmm256;
    PMINSW: VEX_Vpminsw_xmm_xmm_xmmm128 VEX_Vpminsw_ymm_ymm_ymmm256 EVEX_Vpminsw_zmm_k1z_zmm_zmmm512 | EVEX_Vpminsw_xmm_k1z_xmm_xmmm128 EVEX_Vpminsw_ymm_k1z_ymm_ymmm256;
    PMINUD: VEX_Vpminud_xmm_xmm_xmmm128 VEX_Vpminud_ymm_ymm_ymmm256 EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32 | EVEX_Vpminud_xmm_k1z_xmm_xmmm128b32 EVEX_Vpminud_ymm_k1z_ymm_ymmm256b32;
    PMINSD: VEX_Vpminsd_xmm_xmm_xmmm128 VEX_Vpminsd_ymm_ymm_ymmm256 EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32 | EVEX_Vpminsd_xmm_k1z_xmm_xmmm128b32 EVEX_Vpminsd_ymm_k1z_ymm_ymmm256b32;
    PMAXUB: VEX_Vpmaxub_xmm_xmm_xmmm128 VEX_Vpmaxub_ymm_ymm_ymmm256 EVEX_Vpmaxub_zmm_k1z_zmm_zmmm512 | EVEX_Vpmaxub_xmm_k1z_xmm_xmmm128 EVEX_Vpmaxub_ymm_k1z_ymm_ymmm256;
    PMAXSB: VEX_Vpmaxsb_xmm_xmm_xmmm128 VEX_Vpmaxsb_ymm_ymm_ymmm256 EVEX_Vpmaxsb_zmm_k1z_zmm_zmmm512 | EVEX_Vpmaxsb_xmm_k1z_xmm_xmmm128 EVEX_Vpmaxsb_ymm_k1z_ymm_ymmm256;
    PMAXUW: VEX_Vpmaxuw_xmm_xmm_xmmm128 VEX_Vpmaxuw_ymm_ymm_ymmm256 EVEX_Vpmaxuw_zmm_k1z_zmm_zmmm512 | EVEX_Vpmaxuw_xmm_k1z_xmm_xmmm128 EVEX_Vpmaxuw_ymm_k1z_ymm_ymmm256;
    PMAXSW: VEX_Vpmaxsw_xmm_xmm_xmmm128 VEX_Vpmaxsw_ymm_ymm_ymmm256 EVEX_Vpmaxsw_zmm_k1z_zmm_zmmm512 | EVEX_Vpmaxsw_xmm_k1z_xmm_xmmm128 EVEX_Vpmaxsw_ymm_k1z_ymm_ymmm256;
    PMAXUD: VEX_Vpmaxud_xmm_xmm_xmmm128 VEX_Vpmaxud_ymm_ymm_ymmm256 EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32 | EVEX_Vpmaxud_xmm_k1z_xmm_xmmm128b32 EVEX_Vpmaxud_ymm_k1z_ymm_ymmm256b32;
    PMAXSD: VEX_Vpmaxsd_xmm_xmm_xmmm128 VEX_Vpmaxsd_ymm_ymm_ymmm256 EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32 | EVEX_Vpmaxsd_xmm_k1z_xmm_xmmm128b32 EVEX_Vpmaxsd_ymm_k1z_ymm_ymmm256b32;
    PABSB: VEX_Vpabsb_xmm_xmmm128 VEX_Vpabsb_ymm_ymmm256 EVEX_Vpabsb_zmm_k1z_zmmm512 | EVEX_Vpabsb_xmm_k1z_xmmm128 EVEX_Vpabsb_ymm_k1z_ymmm256;
    PABSW: VEX_Vpabsw_xmm_xmmm128 VEX_Vpabsw_ymm_ymmm256 EVEX_Vpabsw_zmm_k1z_zmmm512 | EVEX_Vpabsw_xmm_k1z_xmmm128 EVEX_Vpabsw_ymm_k1z_ymmm256;
    PABSD: VEX_Vpabsd_xmm_xmmm128 VEX_Vpabsd_ymm_ymmm256 EVEX_Vpabsd_zmm_k1z_zmmm512b32 | EVEX_Vpabsd_xmm_k1z_xmmm128b32 EVEX_Vpabsd_ymm_k1z_ymmm256b32;
    PSHUFB: VEX_Vpshufb_xmm_xmm_xmmm128 VEX_Vpshufb_ymm_ymm_ymmm256 EVEX_Vpshufb_zmm_k1z_zmm_zmmm512 | EVEX_Vpshufb_xmm_k1z_xmm_xmmm128 EVEX_Vpshufb_ymm_k1z_ymm_ymmm256;
    PSHUFD: VEX_Vpshufd_xmm_xmmm128_imm8 VEX_Vpshufd_ymm_ymmm256_imm8 EVEX_Vpshufd_zmm_k1z_zmmm512b32_imm8 | EVEX_Vpshufd_xmm_k1z_xmmm128b32_imm8 EVEX_Vpshufd_ymm_k1z_ymmm256b32_imm8;
    SHUFPS: VEX_Vshufps_xmm_xmm_xmmm128_imm8 VEX_Vshufps_ymm_ymm_ymmm256_imm8 EVEX_Vshufps_zmm_k1z_zmm_zmmm512b32_imm8 | EVEX_Vshufps_xmm_k1z_xmm_xmmm128b32_imm8 EVEX_Vshufps_ymm_k1z_ymm_ymmm256b32_imm8;
    PUNPCKLWD: VEX_Vpunpcklwd_xmm_xmm_xmmm128 VEX_Vpunpcklwd_ymm_ymm_ymmm256 EVEX_Vpunpcklwd_zmm_k1z_zmm_zmmm512 | EVEX_Vpunpcklwd_xmm_k1z_xmm_xmmm128 EVEX_Vpunpcklwd_ymm_k1z_ymm_ymmm256;
    PUNPCKLDQ: VEX_Vpunpckldq_xmm_xmm_xmmm128 VEX_Vpunpckldq_ymm_ymm_ymmm256 EVEX_Vpunpckldq_zmm_k1z_zmm_zmmm512b32 | EVEX_Vpunpckldq_xmm_k1z_xmm_xmmm128b32 EVEX_Vpunpckldq_ymm_k1z_ymm_ymmm256b32;
    PUNPCKHDQ: VEX_Vpunpckhdq_xmm_xmm_xmmm128 VEX_Vpunpckhdq_ymm_ymm_ymmm256 EVEX_Vpunpckhdq_zmm_k1z_zmm_zmmm512b32 | EVEX_Vpunpckhdq_xmm_k1z_xmm_xmmm128b32 EVEX_Vpunpckhdq_ymm_k1z_ymm_ymmm256b32;
    PUNPCKHQDQ: VEX_Vpunpckhqdq_xmm_xmm_xmmm128 VEX_Vpunpckhqdq_ymm_ymm_ymmm256 EVEX_Vpunpckhqdq_zmm_k1z_zmm_zmmm512b64 | EVEX_Vpunpckhqdq_xmm_k1z_xmm_xmmm128b64 EVEX_Vpunpckhqdq_ymm_k1z_ymm_ymmm256b64;
    PUNPCKLQDQ: VEX_Vpunpcklqdq_xmm_xmm_xmmm128 VEX_Vpunpcklqdq_ymm_ymm_ymmm256 EVEX_Vpunpcklqdq_zmm_k1z_zmm_zmmm512b64 | EVEX_Vpunpcklqdq_xmm_k1z_xmm_xmmm128b64 EVEX_Vpunpcklqdq_ymm_k1z_ymm_ymmm256b64;
    PACKSSWB: VEX_Vpacksswb_xmm_xmm_xmmm128 VEX_Vpacksswb_ymm_ymm_ymmm256 EVEX_Vpacksswb_zmm_k1z_zmm_zmmm512 | EVEX_Vpacksswb_xmm_k1z_xmm_xmmm128 EVEX_Vpacksswb_ymm_k1z_ymm_ymmm256;
    PTEST: VEX_Vptest_xmm_xmmm128 VEX_Vptest_ymm_ymmm256 INVALID;
    PBLENDVB: VEX_Vpblendvb_xmm_xmm_xmmm128_xmm VEX_Vpblendvb_ymm_ymm_ymmm256_ymm INVALID;
    MOVMSKPS: VEX_Vmovmskps_r32_xmm VEX_Vmovmskps_r32_ymm INVALID;
    MOVMSKPD: VEX_Vmovmskpd_r32_xmm VEX_Vmovmskpd_r32_ymm INVALID;
    PMOVMSKB: VEX_Vpmovmskb_r32_xmm VEX_Vpmovmskb_r32_ymm INVALID;
    ADDPS: VEX_Vaddps_xmm_xmm_xmmm128 VEX_Vaddps_ymm_ymm_ymmm256 EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er | EVEX_Vaddps_xmm_k1z_xmm_xmmm128b32 EVEX_Vaddps_ymm_k1z_ymm_ymmm256b32;
    ADDPD: VEX_Vaddpd_xmm_xmm_xmmm128 VEX_Vaddpd_ymm_ymm_ymmm256 EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er | EVEX_Vaddpd_xmm_k1z_xmm_xmmm128b64 EVEX_Vaddpd_ymm_k1z_ymm_ymmm256b64;
    SUBPS: VEX_Vsubps_xmm_xmm_xmmm128 VEX_Vsubps_ymm_ymm_ymmm256 EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er | EVEX_Vsubps_xmm_k1z_xmm_xmmm128b32 EVEX_Vsubps_ymm_k1z_ymm_ymmm256b32;
    SUBPD: VEX_Vsubpd_xmm_xmm_xmmm128 VEX_Vsubpd_ymm_ymm_ymmm256 EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er | EVEX_Vsubpd_xmm_k1z_xmm_xmmm128b64 EVEX_Vsubpd_ymm_k1z_ymm_ymmm256b64;
    MULPS: VEX_Vmulps_xmm_xmm_xmmm128 VEX_Vmulps_ymm_ymm_ymmm256 EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er | EVEX_Vmulps_xmm_k1z_xmm_xmmm128b32 EVEX_Vmulps_ymm_k1z_ymm_ymmm256b32;
    MULPD: VEX_Vmulpd_xmm_xmm_xmmm128 VEX_Vmulpd_ymm_ymm_ymmm256 EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er | EVEX_Vmulpd_xmm_k1z_xmm_xmmm128b64 EVEX_Vmulpd_ymm_k1z_ymm_ymmm256b64;
    DIVPS: VEX_Vdivps_xmm_xmm_xmmm128 VEX_Vdivps_ymm_ymm_ymmm256 EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er | EVEX_Vdivps_xmm_k1z_xmm_xmmm128b32 EVEX_Vdivps_ymm_k1z_ymm_ymmm256b32;
    DIVPD: VEX_Vdivpd_xmm_xmm_xmmm128 VEX_Vdivpd_ymm_ymm_ymmm256 EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er | EVEX_Vdivpd_xmm_k1z_xmm_xmmm128b64 EVEX_Vdivpd_ymm_k1z_ymm_ymmm256b64;
    MINPS: VEX_Vminps_xmm_xmm_xmmm128 VEX_Vminps_ymm_ymm_ymmm256 EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae | EVEX_Vminps_xmm_k1z_xmm_xmmm128b32 EVEX_Vminps_ymm_k1z_ymm_ymmm256b32;
    MINPD: VEX_Vminpd_xmm_xmm_xmmm128 VEX_Vminpd_ymm_ymm_ymmm256 EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae | EVEX_Vminpd_xmm_k1z_xmm_xmmm128b64 EVEX_Vminpd_ymm_k1z_ymm_ymmm256b64;
    MAXPS: VEX_Vmaxps_xmm_xmm_xmmm128 VEX_Vmaxps_ymm_ymm_ymmm256 EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae | EVEX_Vmaxps_xmm_k1z_xmm_xmmm128b32 EVEX_Vmaxps_ymm_k1z_ymm_ymmm256b32;
    MAXPD: VEX_Vmaxpd_xmm_xmm_xmmm128 VEX_Vmaxpd_ymm_ymm_ymmm256 EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae | EVEX_Vmaxpd_xmm_k1z_xmm_xmmm128b64 EVEX_Vmaxpd_ymm_k1z_ymm_ymmm256b64;
    SQRTPS: VEX_Vsqrtps_xmm_xmmm128 VEX_Vsqrtps_ymm_ymmm256 EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er | EVEX_Vsqrtps_xmm_k1z_xmmm128b32 EVEX_Vsqrtps_ymm_k1z_ymmm256b32;
    SQRTPD: VEX_Vsqrtpd_xmm_xmmm128 VEX_Vsqrtpd_ymm_ymmm256 EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er | EVEX_Vsqrtpd_xmm_k1z_xmmm128b64 EVEX_Vsqrtpd_ymm_k1z_ymmm256b64;
    ROUNDPS: VEX_Vroundps_xmm_xmmm128_imm8 VEX_Vroundps_ymm_ymmm256_imm8 EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae | EVEX_Vrndscaleps_xmm_k1z_xmmm128b32_imm8 EVEX_Vrndscaleps_ymm_k1z_ymmm256b32_imm8;
    ROUNDPD: VEX_Vroundpd_xmm_xmmm128_imm8 VEX_Vroundpd_ymm_ymmm256_imm8 EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae | EVEX_Vrndscalepd_xmm_k1z_xmmm128b64_imm8 EVEX_Vrndscalepd_ymm_k1z_ymmm256b64_imm8;
    CMPPS: VEX_Vcmpps_xmm_xmm_xmmm128_imm8 VEX_Vcmpps_ymm_ymm_ymmm256_imm8 INVALID;
    CMPPD: VEX_Vcmppd_xmm_xmm_xmmm128_imm8 VEX_Vcmppd_ymm_ymm_ymmm256_imm8 INVALID;
    FMADD213PS: VEX_Vfmadd213ps_xmm_xmm_xmmm128 VEX_Vfmadd213ps_ymm_ymm_ymmm256 EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er | EVEX_Vfmadd213ps_xmm_k1z_xmm_xmmm128b32 EVEX_Vfmadd213ps_ymm_k1z_ymm_ymmm256b32;
    FMADD213PD: VEX_Vfmadd213pd_xmm_xmm_xmmm128 VEX_Vfmadd213pd_ymm_ymm_ymmm256 EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er | EVEX_Vfmadd213pd_xmm_k1z_xmm_xmmm128b64 EVEX_Vfmadd213pd_ymm_k1z_ymm_ymmm256b64;
    CVTTPS2DQ: VEX_Vcvttps2dq_xmm_xmmm128 VEX_Vcvttps2dq_ymm_ymmm256 EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae | EVEX_Vcvttps2dq_xmm_k1z_xmmm128b32 EVEX_Vcvttps2dq_ymm_k1z_ymmm256b32;
    CVTDQ2PS: VEX_Vcvtdq2ps_xmm_xmmm128 VEX_Vcvtdq2ps_ymm_ymmm256 EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er | EVEX_Vcvtdq2ps_xmm_k1z_xmmm128b32 EVEX_Vcvtdq2ps_ymm_k1z_ymmm256b32;
    CVTPS2PD: VEX_Vcvtps2pd_xmm_xmmm64 VEX_Vcvtps2pd_ymm_xmmm128 EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae | EVEX_Vcvtps2pd_xmm_k1z_xmmm64b32 EVEX_Vcvtps2pd_ymm_k1z_xmmm128b32;
    CVTDQ2PD: VEX_Vcvtdq2pd_xmm_xmmm64 VEX_Vcvtdq2pd_ymm_xmmm128 EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er | EVEX_Vcvtdq2pd_xmm_k1z_xmmm64b32 EVEX_Vcvtdq2pd_ymm_k1z_xmmm128b32;
    CVTPD2PS: VEX_Vcvtpd2ps_xmm_xmmm128 VEX_Vcvtpd2ps_xmm_ymmm256 EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er | EVEX_Vcvtpd2ps_xmm_k1z_xmmm128b64 EVEX_Vcvtpd2ps_xmm_k1z_ymmm256b64;
    CVTPH2PS: VEX_Vcvtph2ps_xmm_xmmm64 VEX_Vcvtph2ps_ymm_xmmm128 EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae | EVEX_Vcvtph2ps_xmm_k1z_xmmm64 EVEX_Vcvtph2ps_ymm_k1z_xmmm128;
    CVTPS2PH: VEX_Vcvtps2ph_xmmm64_xmm_imm8 VEX_Vcvtps2ph_xmmm128_ymm_imm8 EVEX_Vcvtps2ph_ymmm256_k1z_zmm_imm8_sae | EVEX_Vcvtps2ph_xmmm64_k1z_xmm_imm8 EVEX_Vcvtps2ph_xmmm128_k1z_ymm_imm8;
    PGATHERDD: VEX_Vpgatherdd_xmm_vm32x_xmm VEX_Vpgatherdd_ymm_vm32y_ymm INVALID;
    PGATHERDQ: VEX_Vpgatherdq_xmm_vm32x_xmm VEX_Vpgatherdq_ymm_vm32x_ymm INVALID;
    MASKMOVD: VEX_Vpmaskmovd_xmm_xmm_m128 VEX_Vpmaskmovd_ymm_ymm_m256 INVALID;
    MASKMOVD_STORE: VEX_Vpmaskmovd_m128_xmm_xmm VEX_Vpmaskmovd_m256_ymm_ymm INVALID;
    MOVZXBW: VEX_Vpmovzxbw_xmm_xmmm64 VEX_Vpmovzxbw_ymm_xmmm128 EVEX_Vpmovzxbw_zmm_k1z_ymmm256 | EVEX_Vpmovzxbw_xmm_k1z_xmmm64 EVEX_Vpmovzxbw_ymm_k1z_xmmm128;
    MOVZXBD: VEX_Vpmovzxbd_xmm_xmmm32 VEX_Vpmovzxbd_ymm_xmmm64 EVEX_Vpmovzxbd_zmm_k1z_xmmm128 | EVEX_Vpmovzxbd_xmm_k1z_xmmm32 EVEX_Vpmovzxbd_ymm_k1z_xmmm64;
    MOVZXBQ: VEX_Vpmovzxbq_xmm_xmmm16 VEX_Vpmovzxbq_ymm_xmmm32 EVEX_Vpmovzxbq_zmm_k1z_xmmm64 | EVEX_Vpmovzxbq_xmm_k1z_xmmm16 EVEX_Vpmovzxbq_ymm_k1z_xmmm32;
    MOVZXWD: VEX_Vpmovzxwd_xmm_xmmm64 VEX_Vpmovzxwd_ymm_xmmm128 EVEX_Vpmovzxwd_zmm_k1z_ymmm256 | EVEX_Vpmovzxwd_xmm_k1z_xmmm64 EVEX_Vpmovzxwd_ymm_k1z_xmmm128;
    MOVZXWQ: VEX_Vpmovzxwq_xmm_xmmm32 VEX_Vpmovzxwq_ymm_xmmm64 EVEX_Vpmovzxwq_zmm_k1z_xmmm128 | EVEX_Vpmovzxwq_xmm_k1z_xmmm32 EVEX_Vpmovzxwq_ymm_k1z_xmmm64;
    MOVZXDQ: VEX_Vpmovzxdq_xmm_xmmm64 VEX_Vpmovzxdq_ymm_xmmm128 EVEX_Vpmovzxdq_zmm_k1z_ymmm256 | EVEX_Vpmovzxdq_xmm_k1z_xmmm64 EVEX_Vpmovzxdq_ymm_k1z_xmmm128;
    MOVSXBW: VEX_Vpmovsxbw_xmm_xmmm64 VEX_Vpmovsxbw_ymm_xmmm128 EVEX_Vpmovsxbw_zmm_k1z_ymmm256 | EVEX_Vpmovsxbw_xmm_k1z_xmmm64 EVEX_Vpmovsxbw_ymm_k1z_xmmm128;
    MOVSXBD: VEX_Vpmovsxbd_xmm_xmmm32 VEX_Vpmovsxbd_ymm_xmmm64 EVEX_Vpmovsxbd_zmm_k1z_xmmm128 | EVEX_Vpmovsxbd_xmm_k1z_xmmm32 EVEX_Vpmovsxbd_ymm_k1z_xmmm64;
    MOVSXBQ: VEX_Vpmovsxbq_xmm_xmmm16 VEX_Vpmovsxbq_ymm_xmmm32 EVEX_Vpmovsxbq_zmm_k1z_xmmm64 | EVEX_Vpmovsxbq_xmm_k1z_xmmm16 EVEX_Vpmovsxbq_ymm_k1z_xmmm32;
    MOVSXWD: VEX_Vpmovsxwd_xmm_xmmm64 VEX_Vpmovsxwd_ymm_xmmm128 EVEX_Vpmovsxwd_zmm_k1z_ymmm256 | EVEX_Vpmovsxwd_xmm_k1z_xmmm64 EVEX_Vpmovsxwd_ymm_k1z_xmmm128;
    MOVSXWQ: VEX_Vpmovsxwq_xmm_xmmm32 VEX_Vpmovsxwq_ymm_xmmm64 EVEX_Vpmovsxwq_zmm_k1z_xmmm128 | EVEX_Vpmovsxwq_xmm_k1z_xmmm32 EVEX_Vpmovsxwq_ymm_k1z_xmmm64;
    MOVSXDQ: VEX_Vpmovsxdq_xmm_xmmm64 VEX_Vpmovsxdq_ymm_xmmm128 EVEX_Vpmovsxdq_zmm_k1z_ymmm256 | EVEX_Vpmovsxdq_xmm_k1z_xmmm64 EVEX_Vpmovsxdq_ymm_k1z_xmmm128;
    BLENDMB: EVEX_Vpblendmb_xmm_k1z_xmm_xmmm128 EVEX_Vpblendmb_ymm_k1z_ymm_ymmm256 EVEX_Vpblendmb_zmm_k1z_zmm_zmmm512;
    BLENDMW: EVEX_Vpblendmw_xmm_k1z_xmm_xmmm128 EVEX_Vpblendmw_ymm_k1z_ymm_ymmm256 EVEX_Vpblendmw_zmm_k1z_zmm_zmmm512;
    BLENDMD: EVEX_Vpblendmd_xmm_k1z_xmm_xmmm128b32 EVEX_Vpblendmd_ymm_k1z_ymm_ymmm256b32 EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32;
    BLENDMQ: EVEX_Vpblendmq_xmm_k1z_xmm_xmmm128b64 EVEX_Vpblendmq_ymm_k1z_ymm_ymmm256b64 EVEX_Vpblendmq_zmm_k1z_zmm_zmmm512b64;
    COMPAREPS: EVEX_Vcmpps_kr_k1_xmm_xmmm128b32_imm8 EVEX_Vcmpps_kr_k1_ymm_ymmm256b32_imm8 EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
    COMPAREPD: EVEX_Vcmppd_kr_k1_xmm_xmmm128b64_imm8 EVEX_Vcmppd_kr_k1_ymm_ymmm256b64_imm8 EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae;
    COMPAREB: EVEX_Vpcmpb_kr_k1_xmm_xmmm128_imm8 EVEX_Vpcmpb_kr_k1_ymm_ymmm256_imm8 EVEX_Vpcmpb_kr_k1_zmm_zmmm512_imm8;
    COMPAREW: EVEX_Vpcmpw_kr_k1_xmm_xmmm128_imm8 EVEX_Vpcmpw_kr_k1_ymm_ymmm256_imm8 EVEX_Vpcmpw_kr_k1_zmm_zmmm512_imm8;
    COMPARED: EVEX_Vpcmpd_kr_k1_xmm_xmmm128b32_imm8 EVEX_Vpcmpd_kr_k1_ymm_ymmm256b32_imm8 EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
    COMPAREQ: EVEX_Vpcmpq_kr_k1_xmm_xmmm128b64_imm8 EVEX_Vpcmpq_kr_k1_ymm_ymmm256b64_imm8 EVEX_Vpcmpq_kr_k1_zmm_zmmm512b64_imm8;
    COMPAREUB: EVEX_Vpcmpub_kr_k1_xmm_xmmm128_imm8 EVEX_Vpcmpub_kr_k1_ymm_ymmm256_imm8 EVEX_Vpcmpub_kr_k1_zmm_zmmm512_imm8;
    COMPAREUW: EVEX_Vpcmpuw_kr_k1_xmm_xmmm128_imm8 EVEX_Vpcmpuw_kr_k1_ymm_ymmm256_imm8 EVEX_Vpcmpuw_kr_k1_zmm_zmmm512_imm8;
    COMPAREUD: EVEX_Vpcmpud_kr_k1_xmm_xmmm128b32_imm8 EVEX_Vpcmpud_kr_k1_ymm_ymmm256b32_imm8 EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
    COMPAREUQ: EVEX_Vpcmpuq_kr_k1_xmm_xmmm128b64_imm8 EVEX_Vpcmpuq_kr_k1_ymm_ymmm256b64_imm8 EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8;
    TERNLOGD: EVEX_Vpternlogd_xmm_k1z_xmm_xmmm128b32_imm8 EVEX_Vpternlogd_ymm_k1z_ymm_ymmm256b32_imm8 EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
    TESTD: EVEX_Vptestmd_kr_k1_xmm_xmmm128b32 EVEX_Vptestmd_kr_k1_ymm_ymmm256b32 EVEX_Vptestmd_kr_k1_zmm_zmmm512b32;
    ONESB: EVEX_Vpmovm2b_xmm_kr EVEX_Vpmovm2b_ymm_kr EVEX_Vpmovm2b_zmm_kr;
    ONESW: EVEX_Vpmovm2w_xmm_kr EVEX_Vpmovm2w_ymm_kr EVEX_Vpmovm2w_zmm_kr;
    ONESD: EVEX_Vpmovm2d_xmm_kr EVEX_Vpmovm2d_ymm_kr EVEX_Vpmovm2d_zmm_kr;
    ONESQ: EVEX_Vpmovm2q_xmm_kr EVEX_Vpmovm2q_ymm_kr EVEX_Vpmovm2q_zmm_kr;
    MOVDQU32: EVEX_Vmovdqu32_xmm_k1z_xmmm128 EVEX_Vmovdqu32_ymm_k1z_ymmm256 EVEX_Vmovdqu32_zmm_k1z_zmmm512;
    MOVDQU8_STORE: EVEX_Vmovdqu8_xmmm128_k1z_xmm EVEX_Vmovdqu8_ymmm256_k1z_ymm EVEX_Vmovdqu8_zmmm512_k1z_zmm;
    MOVDQU16_STORE: EVEX_Vmovdqu16_xmmm128_k1z_xmm EVEX_Vmovdqu16_ymmm256_k1z_ymm EVEX_Vmovdqu16_zmmm512_k1z_zmm;
    MOVDQU32_STORE: EVEX_Vmovdqu32_xmmm128_k1z_xmm EVEX_Vmovdqu32_ymmm256_k1z_ymm EVEX_Vmovdqu32_zmmm512_k1z_zmm;
    GATHERDD: EVEX_Vpgatherdd_xmm_k1_vm32x EVEX_Vpgatherdd_ymm_k1_vm32y EVEX_Vpgatherdd_zmm_k1_vm32z;
    GATHERDQ: EVEX_Vpgatherdq_xmm_k1_vm32x EVEX_Vpgatherdq_ymm_k1_vm32x EVEX_Vpgatherdq_zmm_k1_vm32y;
    COMPRESSD: EVEX_Vpcompressd_xmmm128_k1z_xmm EVEX_Vpcompressd_ymmm256_k1z_ymm EVEX_Vpcompressd_zmmm512_k1z_zmm;
    PERMI2D: EVEX_Vpermi2d_xmm_k1z_xmm_xmmm128b32 EVEX_Vpermi2d_ymm_k1z_ymm_ymmm256b32 EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32;
    PERMT2D: INVALID INVALID EVEX_Vpermt2d_zmm_k1z_zmm_zmmm512b32;
    SHUFQUARTERS: INVALID INVALID EVEX_Vshufi64x2_zmm_k1z_zmm_zmmm512b64_imm8;
    CVTTPD2DQ: VEX_Vcvttpd2dq_xmm_xmmm128 VEX_Vcvttpd2dq_xmm_ymmm256 EVEX_Vcvttpd2dq_ymm_k1z_zmmm512b64_sae | EVEX_Vcvttpd2dq_xmm_k1z_xmmm128b64 EVEX_Vcvttpd2dq_xmm_k1z_ymmm256b64;
    CVTTPS2UDQ: EVEX_Vcvttps2udq_xmm_k1z_xmmm128b32 EVEX_Vcvttps2udq_ymm_k1z_ymmm256b32 EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae;
    CVTUDQ2PS: EVEX_Vcvtudq2ps_xmm_k1z_xmmm128b32 EVEX_Vcvtudq2ps_ymm_k1z_ymmm256b32 EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er;
    CVTUDQ2PD: EVEX_Vcvtudq2pd_xmm_k1z_xmmm64b32 EVEX_Vcvtudq2pd_ymm_k1z_xmmm128b32 EVEX_Vcvtudq2pd_zmm_k1z_ymmm256b32_er;
    CVTQQ2PD: EVEX_Vcvtqq2pd_xmm_k1z_xmmm128b64 EVEX_Vcvtqq2pd_ymm_k1z_ymmm256b64 EVEX_Vcvtqq2pd_zmm_k1z_zmmm512b64_er;
    CVTUQQ2PD: EVEX_Vcvtuqq2pd_xmm_k1z_xmmm128b64 EVEX_Vcvtuqq2pd_ymm_k1z_ymmm256b64 EVEX_Vcvtuqq2pd_zmm_k1z_zmmm512b64_er;
    CVTQQ2PS: EVEX_Vcvtqq2ps_xmm_k1z_xmmm128b64 EVEX_Vcvtqq2ps_xmm_k1z_ymmm256b64 EVEX_Vcvtqq2ps_ymm_k1z_zmmm512b64_er;
    CVTUQQ2PS: EVEX_Vcvtuqq2ps_xmm_k1z_xmmm128b64 EVEX_Vcvtuqq2ps_xmm_k1z_ymmm256b64 EVEX_Vcvtuqq2ps_ymm_k1z_zmmm512b64_er;
    CVTTPD2QQ: EVEX_Vcvttpd2qq_xmm_k1z_xmmm128b64 EVEX_Vcvttpd2qq_ymm_k1z_ymmm256b64 EVEX_Vcvttpd2qq_zmm_k1z_zmmm512b64_sae;
    CVTTPD2UQQ: EVEX_Vcvttpd2uqq_xmm_k1z_xmmm128b64 EVEX_Vcvttpd2uqq_ymm_k1z_ymmm256b64 EVEX_Vcvttpd2uqq_zmm_k1z_zmmm512b64_sae;
    CVTTPS2UQQ: EVEX_Vcvttps2uqq_xmm_k1z_xmmm64b32 EVEX_Vcvttps2uqq_ymm_k1z_xmmm128b32 EVEX_Vcvttps2uqq_zmm_k1z_ymmm256b32_sae;
    MULLQ: EVEX_Vpmullq_xmm_k1z_xmm_xmmm128b64 EVEX_Vpmullq_ymm_k1z_ymm_ymmm256b64 EVEX_Vpmullq_zmm_k1z_zmm_zmmm512b64;
    SRAVQ: EVEX_Vpsravq_xmm_k1z_xmm_xmmm128b64 EVEX_Vpsravq_ymm_k1z_ymm_ymmm256b64 EVEX_Vpsravq_zmm_k1z_zmm_zmmm512b64;
    SRAQ: EVEX_Vpsraq_xmm_k1z_xmmm128b64_imm8 EVEX_Vpsraq_ymm_k1z_ymmm256b64_imm8 EVEX_Vpsraq_zmm_k1z_zmmm512b64_imm8;
    ROLVD: EVEX_Vprolvd_xmm_k1z_xmm_xmmm128b32 EVEX_Vprolvd_ymm_k1z_ymm_ymmm256b32 EVEX_Vprolvd_zmm_k1z_zmm_zmmm512b32;
    ROLVQ: EVEX_Vprolvq_xmm_k1z_xmm_xmmm128b64 EVEX_Vprolvq_ymm_k1z_ymm_ymmm256b64 EVEX_Vprolvq_zmm_k1z_zmm_zmmm512b64;
    ROLD: EVEX_Vprold_xmm_k1z_xmmm128b32_imm8 EVEX_Vprold_ymm_k1z_ymmm256b32_imm8 EVEX_Vprold_zmm_k1z_zmmm512b32_imm8;
    ROLQ: EVEX_Vprolq_xmm_k1z_xmmm128b64_imm8 EVEX_Vprolq_ymm_k1z_ymmm256b64_imm8 EVEX_Vprolq_zmm_k1z_zmmm512b64_imm8;
    MINSQ: EVEX_Vpminsq_xmm_k1z_xmm_xmmm128b64 EVEX_Vpminsq_ymm_k1z_ymm_ymmm256b64 EVEX_Vpminsq_zmm_k1z_zmm_zmmm512b64;
    MINUQ: EVEX_Vpminuq_xmm_k1z_xmm_xmmm128b64 EVEX_Vpminuq_ymm_k1z_ymm_ymmm256b64 EVEX_Vpminuq_zmm_k1z_zmm_zmmm512b64;
    MAXSQ: EVEX_Vpmaxsq_xmm_k1z_xmm_xmmm128b64 EVEX_Vpmaxsq_ymm_k1z_ymm_ymmm256b64 EVEX_Vpmaxsq_zmm_k1z_zmm_zmmm512b64;
    MAXUQ: EVEX_Vpmaxuq_xmm_k1z_xmm_xmmm128b64 EVEX_Vpmaxuq_ymm_k1z_ymm_ymmm256b64 EVEX_Vpmaxuq_zmm_k1z_zmm_zmmm512b64;
    LOWWB: EVEX_Vpmovwb_xmmm64_k1z_xmm EVEX_Vpmovwb_xmmm128_k1z_ymm EVEX_Vpmovwb_ymmm256_k1z_zmm;
    LOWDB: EVEX_Vpmovdb_xmmm32_k1z_xmm EVEX_Vpmovdb_xmmm64_k1z_ymm EVEX_Vpmovdb_xmmm128_k1z_zmm;
    LOWDW: EVEX_Vpmovdw_xmmm64_k1z_xmm EVEX_Vpmovdw_xmmm128_k1z_ymm EVEX_Vpmovdw_ymmm256_k1z_zmm;
    LOWQB: EVEX_Vpmovqb_xmmm16_k1z_xmm EVEX_Vpmovqb_xmmm32_k1z_ymm EVEX_Vpmovqb_xmmm64_k1z_zmm;
    LOWQW: EVEX_Vpmovqw_xmmm32_k1z_xmm EVEX_Vpmovqw_xmmm64_k1z_ymm EVEX_Vpmovqw_xmmm128_k1z_zmm;
    LOWQD: EVEX_Vpmovqd_xmmm64_k1z_xmm EVEX_Vpmovqd_xmmm128_k1z_ymm EVEX_Vpmovqd_ymmm256_k1z_zmm;
}
