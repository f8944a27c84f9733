"""Settings of the radios: Wi-Fi, Bluetooth, mobile network."""

from __future__ import annotations

from deskhand.simphone.apps.phone_settings.app import BLUETOOTH_DEVICES, NETWORKS, Network
from deskhand.simphone.apps.phone_settings.sub_page import SubPage
from deskhand.simphone.ui.nodes import Node
from deskhand.simphone.ui.widgets import Divider, EmptyNote, Icon, ListRow, SectionTitle


class WifiPage(SubPage):
    activity = ".wifi.WifiSettings"
    title = ("Wi-Fi", "Wi-Fi")

    def build_rows(self) -> list[Node]:
        t, theme = self.t, self.colours
        top = self.build_switch_row("Wi-Fi", "global", "wifi_on", "wifi_switch", act=self._toggle_wifi)
        if self.app.read_setting("global", "wifi_on") != "1":
            note = t("要查看可用网络，请打开 Wi-Fi", "To see available networks, turn Wi-Fi on")
            return [top, EmptyNote(note, theme)]
        rows = [top, SectionTitle(t("可用网络", "Available networks"), theme)]
        for network in NETWORKS:
            rows.extend((self._build_network(network), Divider(theme, 160)))
        return rows

    def _toggle_wifi(self) -> None:
        turning_on = self.app.read_setting("global", "wifi_on") != "1"
        self.app.make_toggle("global", "wifi_on")()
        if turning_on:
            self.app.put_setting("global", "airplane_mode_on", "0")

    def _build_network(self, network: Network) -> Node:
        t, theme = self.t, self.colours
        joined = self.app.joined == network.name
        kind = t("加密", "Secured") if network.password else t("开放", "Open")
        sub = t("已连接", "Connected") if joined else t("已保存", "Saved") if network.name in self.app.known else kind
        tail = [Icon("lock", 40, theme.faint)] if network.password else []
        tail += [Icon("check", 48, theme.accent)] if joined else []
        return ListRow(
            network.name,
            theme,
            lead=Icon("wifi", 64, theme.accent if joined else theme.soft),
            sub=sub,
            tail=tail,
            on_tap=lambda: self._choose_network(network),
            rid=self.rid_of("wifi_network"),
            title_rid="android:id/title",
            sub_rid="android:id/summary",
        )

    def _choose_network(self, network: Network) -> None:
        if self.app.joined == network.name:
            self._offer_to_forget(network)
        elif not network.password or network.name in self.app.known:
            self.app.join_network(network)
        else:
            self._ask_password(network)

    def _offer_to_forget(self, network: Network) -> None:
        def forget_network() -> None:
            self.app.known.remove(network.name)
            self.app.network = ""

        self.confirm_action(
            network.name,
            self.t("不再保存此网络？", "Forget this network?"),
            self.t("取消保存", "Forget"),
            forget_network,
        )

    def _ask_password(self, network: Network) -> None:
        t = self.t
        field = self.use_field("dialog_password")
        field.set_text("")
        field.password = True

        def join_network() -> None:
            if field.text == network.password:
                self.dismiss_dialog()
                self.app.join_network(network)
            else:
                self.host.show_toast(t("密码错误", "Wrong password"))

        field.on_enter = join_network
        self.ask_text(network.name, field, t("密码", "Password"), "password", t("连接", "Connect"))


class BluetoothPage(SubPage):
    activity = ".bluetooth.BluetoothSettings"
    title = ("蓝牙", "Bluetooth")

    def build_rows(self) -> list[Node]:
        t, theme = self.t, self.colours
        top = self.build_switch_row(t("蓝牙", "Bluetooth"), "global", "bluetooth_on", "bluetooth_switch")
        if self.app.read_setting("global", "bluetooth_on") != "1":
            return [top, EmptyNote(t("打开蓝牙以查找设备", "Turn Bluetooth on to find devices"), theme)]
        paired = [self._build_device(name) for name in self.app.paired]
        others = [self._build_device(name) for name in BLUETOOTH_DEVICES if name not in self.app.paired]
        return [
            top,
            SectionTitle(t("已配对的设备", "Paired devices"), theme),
            *paired,
            SectionTitle(t("可用设备", "Available devices"), theme),
            *others,
        ]

    def _build_device(self, name: str) -> Node:
        def toggle_pairing() -> None:
            if name in self.app.paired:
                self.confirm_action(
                    name,
                    self.t("取消配对？", "Unpair this device?"),
                    self.t("取消配对", "Unpair"),
                    lambda: self.app.paired.remove(name),
                )
            else:
                self.app.paired.append(name)
                self.host.show_toast(self.t("已配对 ", "Paired with ") + name)

        lead = Icon("bluetooth", 60, self.colours.soft)
        return ListRow(name, self.colours, lead=lead, on_tap=toggle_pairing, rid=self.rid_of("bluetooth_device"))


class MobilePage(SubPage):
    activity = ".MobileNetwork"
    title = ("移动网络", "Mobile network")

    def build_rows(self) -> list[Node]:
        t = self.t
        return [
            self.build_switch_row(t("移动数据", "Mobile data"), "global", "mobile_data", "mobile_data_switch"),
            self.build_switch_row(t("数据漫游", "Roaming"), "global", "data_roaming", "roaming_switch"),
            self.build_fact(t("运营商", "Carrier"), "Sim Mobile"),
        ]
