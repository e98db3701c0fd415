// SPDX-License-Identifier: GPL-2.0-or-later
#include "boards.h"

#include <string.h>

#include "macro.h"

/*
 * By how a name begins, the narrower first. From the two lists of cpufreq-dt-platdev.c, the match
 * tables of drivers/cpufreq/ and, for who makes the device and whether there are operating points
 * or SCMI performance domains, arch/arm64/boot/dts of 5.10, 6.1, 6.12 and 7.2. NULL: among those
 * that begin with the wider name below, but without operating points in some or all of these
 * kernels, so that the name alone says nothing.
 */
static const struct {
	const char *start, *driver;
} boards[] = {
	{ "apple,", "apple-cpufreq" },
	{ "nvidia,tegra186", "tegra186" },
	{ "nvidia,tegra194", "tegra194" },
	{ "nvidia,tegra234", "tegra194" },
	{ "nvidia,tegra239", "tegra194" },
	/* tegra20-cpufreq.c and tegra124-cpufreq.c make a device for cpufreq-dt. */
	{ "nvidia,tegra", "cpufreq-dt" },
	{ "NVIDIA Jetson AGX Xavier", "tegra194" },
	{ "NVIDIA Jetson Xavier", "tegra194" },
	{ "NVIDIA Jetson AGX Orin", "tegra194" },
	{ "NVIDIA Jetson Orin", "tegra194" },
	{ "Jetson AGX Xavier", "tegra194" },
	{ "Jetson AGX Orin", "tegra194" },
	/* qcom-cpufreq-nvmem.c makes a device for cpufreq-dt as well. */
	{ "qcom,apq8096", "cpufreq-dt" },
	{ "qcom,msm8909", "cpufreq-dt" },
	{ "qcom,msm8996", "cpufreq-dt" },
	{ "qcom,qcs404", "cpufreq-dt" },
	{ "qcom,ipq8074", NULL },
	{ "qcom,ipq", "cpufreq-dt" },
	{ "qcom,apq8064", "cpufreq-dt" },
	{ "qcom,msm8974", "cpufreq-dt" },
	{ "qcom,msm8960", "cpufreq-dt" },
	{ "qcom,msm8916", "cpufreq-dt" },
	{ "qcom,msm8937", "cpufreq-dt" },
	{ "qcom,msm8939", "cpufreq-dt" },
	{ "qcom,x1", "scmi" },
	{ "qcom,sm8750", "scmi" },
	{ "qcom,glymur", "scmi" },
	{ "qcom,", "qcom-cpufreq-hw" },
	{ "mediatek,mt2", "mtk-cpufreq" },
	{ "mediatek,mt7", "mtk-cpufreq" },
	{ "mediatek,mt8167", "mtk-cpufreq" },
	{ "mediatek,mt817", "mtk-cpufreq" },
	{ "mediatek,mt8183", "mtk-cpufreq" },
	{ "mediatek,mt8186", "mtk-cpufreq" },
	{ "mediatek,mt8365", "mtk-cpufreq" },
	{ "mediatek,mt8516", "mtk-cpufreq" },
	{ "mediatek,", "mtk-cpufreq-hw" },
	{ "arm,juno", "scpi-cpufreq" },
	{ "arm,vexpress,v2p-ca15_a7", "vexpress-spc" },
	{ "amlogic,meson-gx", "scpi-cpufreq" },
	{ "amlogic,meson-axg", "scpi-cpufreq" },
	{ "amlogic,g12", "cpufreq-dt" },
	{ "amlogic,sm1", "cpufreq-dt" },
	{ "amlogic,meson8", "cpufreq-dt" },
	{ "fsl,imx6", "imx6q-cpufreq" },
	{ "fsl,imx7", "cpufreq-dt" },
	{ "fsl,imx8m", "cpufreq-dt" },
	/* drivers/clk/clk-qoriq.c makes the device. */
	{ "fsl,ls1", "qoriq_cpufreq" },
	{ "fsl,ls2", "qoriq_cpufreq" },
	{ "fsl,lx2", "qoriq_cpufreq" },
	{ "raspberrypi,", "cpufreq-dt" },
	{ "Raspberry Pi", "cpufreq-dt" },
	{ "ti,am64", BOARD_NONE },
	{ "ti,am65", BOARD_NONE },
	{ "ti,j7", BOARD_NONE },
	{ "ti,", "cpufreq-dt" },
	{ "allwinner,sun50i-a100", NULL },
	{ "allwinner,sun50i-h5", NULL },
	{ "allwinner,sun50i-h6", NULL }, /* and h616, h618 */
	{ "allwinner,sun50i-h700", NULL },
	{ "allwinner,sun55i", NULL },
	{ "allwinner,", "cpufreq-dt" },
	{ "rockchip,rk3368", NULL },
	{ "rockchip,rk3528", NULL },
	{ "rockchip,rk3562", NULL },
	{ "rockchip,rk3576", NULL },
	{ "rockchip,rk3588", NULL },
	{ "rockchip,", "cpufreq-dt" },
	{ "samsung,exynos3", "cpufreq-dt" },
	{ "samsung,exynos4", "cpufreq-dt" },
	{ "samsung,exynos5", "cpufreq-dt" },
	{ "xlnx,zynq", "cpufreq-dt" },
	{ "starfive,jh7110", "cpufreq-dt" },
	/* Of the Armadas not 370, 375, 38x and 39x, for which there is nothing. */
	{ "marvell,armada3700", "cpufreq-dt" },
	{ "marvell,armada371", "cpufreq-dt" },
	{ "marvell,armada372", "cpufreq-dt" },
	{ "marvell,armada-ap806", "cpufreq-dt" },
	{ "marvell,armada-ap807", "cpufreq-dt" },
	{ "marvell,armadaxp", "cpufreq-dt" },
	{ "hisilicon,hi3660", "cpufreq-dt" },
	{ "hisilicon,hi6220", "cpufreq-dt" },
};

/*
 * Those who call dev_pm_opp_add() and make a device for cpufreq-dt: raspberrypi-cpufreq.c,
 * armada-37xx-cpufreq.c, armada-8k-cpufreq.c, mvebu-cpufreq.c, and tegra124-cpufreq.c, whose points
 * come from the DFLL (drivers/clk/tegra/cvb.c).
 */
static const char *const makers[] = {
	"raspberrypi,",     "Raspberry Pi",        "nvidia,tegra114",
	"nvidia,tegra124",  "nvidia,tegra132",     "nvidia,tegra210",
	"marvell,armada37", "marvell,armada-ap80", "marvell,armadaxp",
};

static bool begins(const char *names, size_t len, const char *start)
{
	for (size_t at = 0; at < len; at += strlen(names + at) + 1)
		if (strncmp(names + at, start, strlen(start)) == 0)
			return true;
	return false;
}

bool board_makes_opps(const char *names, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(makers); i++)
		if (begins(names, len, makers[i]))
			return true;
	return false;
}

const char *board_driver(const char *names, size_t len)
{
	/* Not the first name decides, which is the board's, but the narrowest rule. */
	for (size_t i = 0; i < ARRAY_SIZE(boards); i++)
		if (begins(names, len, boards[i].start))
			return boards[i].driver;
	return NULL;
}
