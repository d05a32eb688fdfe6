# For other scripts to read in: debian_install PACKAGES installs packages of
# Debian's where that is possible without a question, and fails where it is not.

debian_install() {
	command -v apt-get >/dev/null 2>&1 || return 1
	as_root=""
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null || return 1
		as_root="sudo -n"
	fi
	echo "installing of Debian: $1"
	$as_root apt-get update -qq && DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq $1 >/dev/null
}
