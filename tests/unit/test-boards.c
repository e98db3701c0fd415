// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of boards, as their devicetrees list them. */
#include <string.h>

#include "boards.h"
#include "testlib.h"

#define NAMES(text) text, sizeof(text)

static void drivers_of_boards(void **state)
{
	static const struct {
		const char *names;
		size_t len;
		const char *driver;
	} table[] = {
		{ NAMES("raspberrypi,4-model-b\0brcm,bcm2711"), "cpufreq-dt" },
		{ NAMES("google,tomato-rev2\0google,tomato\0mediatek,mt8195"), "mtk-cpufreq-hw" },
		{ NAMES("google,kukui\0mediatek,mt8183"), "mtk-cpufreq" },
		{ NAMES("pine64,rockpro64\0rockchip,rk3399"), "cpufreq-dt" },
		/* operating points since 6.11, since 6.10, in none, in none */
		{ NAMES("radxa,rock-5b\0rockchip,rk3588"), NULL },
		{ NAMES("xunlong,orangepi-zero2\0allwinner,sun50i-h616"), NULL },
		{ NAMES("starfive,visionfive-v1\0starfive,jh7100"), NULL },
		{ NAMES("x\0amlogic,s4"), NULL },
		/* the SoC is named twice: the family decides */
		{ NAMES("libretech,aml-s905x-cc\0amlogic,s905x\0amlogic,meson-gxl"),
		  "scpi-cpufreq" },
		{ NAMES("hardkernel,odroid-n2\0amlogic,s922x\0amlogic,g12b"), "cpufreq-dt" },
		{ NAMES("nvidia,p3737-0000+p3701-0000\0nvidia,p3701-0000\0nvidia,tegra234"),
		  "tegra194" },
		{ NAMES("nvidia,p2371-2180\0nvidia,tegra210"), "cpufreq-dt" },
		{ NAMES("solidrun,honeycomb\0fsl,lx2160a"), "qoriq_cpufreq" },
		{ NAMES("lenovo,thinkpad-t14s\0qcom,x1e78100\0qcom,x1e80100"), "scmi" },
		{ NAMES("lenovo,thinkpad-x13s\0qcom,sc8280xp"), "qcom-cpufreq-hw" },
		{ NAMES("ti,j721e-evm\0ti,j721e"), BOARD_NONE },
		{ NAMES("beagle,am62-beagleplay\0ti,am625"), "cpufreq-dt" },
		{ NAMES("hardkernel,odroid-xu4\0samsung,exynos5800\0samsung,exynos5"),
		  "cpufreq-dt" },
		{ NAMES("globalscale,espressobin\0marvell,armada3720\0marvell,armada3710"),
		  "cpufreq-dt" },
		{ NAMES("marvell,armada8040-mcbin\0marvell,armada8040\0marvell,armada-ap806-quad\0"
			"marvell,armada-ap806"),
		  "cpufreq-dt" },
		{ NAMES("cznic,turris-omnia\0marvell,armada385\0marvell,armada380"), NULL },
		{ NAMES("globalscale,mirabox\0marvell,armada370\0marvell,armada-370-xp"), NULL },
		{ NAMES("some,board\0some,soc"), NULL },
		{ "", 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const char *driver = board_driver(table[i].names, table[i].len);

		if (!table[i].driver)
			assert_null(driver);
		else
			assert_string_equal(driver, table[i].driver);
	}
}

/* Where the operating points come from a driver, and where from the devicetree alone. */
static void makers_of_opps(void **state)
{
	(void)state;
	assert_true(board_makes_opps(NAMES("raspberrypi,4-model-b\0brcm,bcm2711")));
	assert_true(board_makes_opps(NAMES("nvidia,p2371-2180\0nvidia,tegra210")));
	assert_true(board_makes_opps(NAMES("globalscale,espressobin\0marvell,armada3720")));
	assert_true(board_makes_opps(NAMES("x\0marvell,armada8040\0marvell,armada-ap806")));
	assert_true(board_makes_opps(NAMES("plathome,openblocks-ax3-4\0marvell,armadaxp")));
	assert_false(board_makes_opps(NAMES("nvidia,harmony\0nvidia,tegra20")));
	assert_false(board_makes_opps(NAMES("radxa,rock-5b\0rockchip,rk3588")));
	assert_false(board_makes_opps("", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makers_of_opps),
		cmocka_unit_test(drivers_of_boards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
