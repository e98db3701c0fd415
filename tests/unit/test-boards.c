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
		{ NAMES("radxa,rock-5b\0rockchip,rk3588"), "cpufreq-dt" },
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drivers_of_boards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
