import { type ProgramRule, readPrograms } from './options.ts'

const table = String.raw`
| program             | options                                      | operands                    | examples                           |
|---------------------+----------------------------------------------+-----------------------------+------------------------------------|
| dpkg-query          | -WlsLS -f: --show --list --status            | text*                       | dpkg-query -W                      |
|                     | --listfiles --search --showformat:           | needs -W -l -s -L -S --show | dpkg-query -L bash                 |
|                     |                                              | needs --list --status       | dpkg-query -S /bin/ls              |
|                     |                                              | needs --listfiles --search  | ! dpkg-query --admindir=/x -l      |
|                     |                                              |                             | ! dpkg-query --load-avail -l       |
|                     |                                              |                             | ! dpkg-query                       |
|---------------------+----------------------------------------------+-----------------------------+------------------------------------|
| apt-mark            |                                              | text                        | apt-mark showmanual                |
|                     |                                              | least 1                     | apt-mark showhold                  |
|                     |                                              | only showmanual showauto    | ! apt-mark hold x                  |
|                     |                                              | only showhold               | ! apt-mark auto x                  |
|                     |                                              |                             | ! apt-mark showmanual -o x=y       |
|---------------------+----------------------------------------------+-----------------------------+------------------------------------|
| pacman              | -Qieltmokdg --query --info --list --explicit | text*                       | pacman -Q                          |
|                     | --deps --foreign --native                    | needs -Q --query            | pacman -Qi bash                    |
|                     |                                              |                             | pacman -Qe                         |
|                     |                                              |                             | ! pacman -S x                      |
|                     |                                              |                             | ! pacman -R x                      |
|                     |                                              |                             | ! pacman -Sy                       |
|                     |                                              |                             | ! pacman -Qp x                     |
|                     |                                              |                             | ! pacman -Q --root /x              |
|---------------------+----------------------------------------------+-----------------------------+------------------------------------|
| apk                 | -vI --installed                              | text text*                  | apk info                           |
|                     |                                              | first info list search      | apk info -v bash                   |
|                     |                                              | first policy version stats  | apk list --installed               |
|                     |                                              | like [\w.+-]+               | ! apk add x                        |
|                     |                                              |                             | ! apk del x                        |
|                     |                                              |                             | ! apk fetch x                      |
|                     |                                              |                             | ! apk update                       |
|                     |                                              |                             | ! apk --root /x info               |
|---------------------+----------------------------------------------+-----------------------------+------------------------------------|
| update-alternatives | --list: --display: --query: --get-selections | needs --list --display      | update-alternatives --list editor  |
|                     |                                              | needs --query               | update-alternatives --display java |
|                     |                                              | needs --get-selections      | ! update-alternatives --set x y    |
|                     |                                              |                             | ! update-alternatives --config x   |
|---------------------+----------------------------------------------+-----------------------------+------------------------------------|
| ldconfig            | -p --print-cache                             | needs -p --print-cache      | ldconfig -p                        |
|                     |                                              |                             | ! ldconfig                         |
|                     |                                              |                             | ! ldconfig -n x                    |
|                     |                                              |                             | ! ldconfig -C x -p                 |
|                     |                                              |                             | ! ldconfig -r /x -p                |

| program     | options                                    | operands                  | examples                  |
|-------------+--------------------------------------------+---------------------------+---------------------------|
| sysctl      | -aneN --all --names --values --ignore      | text*                     | sysctl -a                 |
|             |                                            | like [\w./-]+             | sysctl vm.swappiness      |
|             |                                            |                           | sysctl -n kernel.hostname |
|             |                                            |                           | ! sysctl -w a=1           |
|             |                                            |                           | ! sysctl a=1              |
|             |                                            |                           | ! sysctl -p               |
|             |                                            |                           | ! sysctl --system         |
|             |                                            |                           | ! sysctl -f x             |
|-------------+--------------------------------------------+---------------------------+---------------------------|
| sensors     | -jAuabV --json                             | also acpi lslocks lsipc   | sensors                   |
|             |                                            |                           | acpi -V                   |
|             |                                            |                           | lslocks -u                |
|             |                                            |                           | ! sensors -s              |
|             |                                            |                           | ! sensors -c x            |
|             |                                            |                           | ! lslocks -p 1            |
|-------------+--------------------------------------------+---------------------------+---------------------------|
| lshw        | -short -C:                                 |                           | lshw -short               |
|             |                                            |                           | lshw -C network           |
|             |                                            |                           | ! lshw -dump x            |
|             |                                            |                           | ! lshw -X                 |
|-------------+--------------------------------------------+---------------------------+---------------------------|
| stty        | -a --all                                   | text                      | stty -a                   |
|             |                                            | only size                 | stty size                 |
|             |                                            |                           | ! stty -echo              |
|             |                                            |                           | ! stty raw                |
|             |                                            |                           | ! stty -F /dev/ttyS0 -a   |
|-------------+--------------------------------------------+---------------------------+---------------------------|
| mountpoint  | -aqdlmovxR --quiet --long --modes --owners | name*                     | mountpoint -q /mnt        |
|             | --vertical                                 | also namei getfacl lsattr | namei -l /usr/bin         |
|             |                                            |                           | getfacl notes             |
|             |                                            |                           | ! getfacl --restore=x     |
|             |                                            |                           | ! mountpoint ~/.ssh       |
|-------------+--------------------------------------------+---------------------------+---------------------------|
| pvs vgs lvs | -av -o: --all --options: --units:          | text*                     | pvs                       |
|             | --noheadings                               |                           | lvs -a                    |
|             |                                            |                           | vgs --units g             |
|             |                                            |                           | ! pvs --config x          |
|             |                                            |                           | ! lvs --devicesfile x     |
|-------------+--------------------------------------------+---------------------------+---------------------------|
| zpool zfs   | -Hprvx -o: -t: -d:                         | text text*                | zpool status              |
|             |                                            | first status list get     | zfs list                  |
|             |                                            | first history iostat      | zfs list -t snapshot      |
|             |                                            | like [\w./:@-]+           | ! zpool destroy x         |
|             |                                            |                           | ! zfs destroy x           |
|             |                                            |                           | ! zpool scrub x           |
|             |                                            |                           | ! zfs set a=b c           |

| program      | options                                  | operands           | examples        |
|--------------+------------------------------------------+--------------------+-----------------|
| whoami users |                                          |                    | whoami          |
|              |                                          |                    | ! whoami x      |
|--------------+------------------------------------------+--------------------+-----------------|
| id groups    | -agGnruz --user --group --name --groups  | text               | id -un          |
|              |                                          |                    | groups          |
|              |                                          |                    | ! id --unknown  |
|--------------+------------------------------------------+--------------------+-----------------|
| hostname     | -fsiIdAy --fqdn --short --long --domain  |                    | hostname        |
|              |                                          |                    | hostname -I     |
|              |                                          |                    | ! hostname evil |
|              |                                          |                    | ! hostname -F x |
|              |                                          |                    | ! hostname -b x |
|--------------+------------------------------------------+--------------------+-----------------|
| uname        | -amnrsvpio --all --kernel-name --machine |                    | uname -a        |
|              |                                          |                    | ! uname x       |
|--------------+------------------------------------------+--------------------+-----------------|
| uptime       | -ps --pretty --since                     |                    | uptime -p       |
|              |                                          |                    | ! uptime x      |
|--------------+------------------------------------------+--------------------+-----------------|
| who w last   | -abdHlmpqrsuhfi -n: -# --heading         |                    | who             |
|              |                                          |                    | w -h            |
|              |                                          |                    | ! last -f x     |
|--------------+------------------------------------------+--------------------+-----------------|
| free         | -bkmghtwl -s: -c: --human --mega --giga  |                    | free -h         |
|              | --total                                  |                    | ! free x        |
|--------------+------------------------------------------+--------------------+-----------------|
| vmstat       | -asdxkmhtw                               | text text          | vmstat 1 3      |
|              |                                          | also iostat mpstat | ! vmstat x      |
|              |                                          | like \d{1,2}       |                 |

| program       | options                                     | operands                     | examples             |
|---------------+---------------------------------------------+------------------------------+----------------------|
| ps            | -AaCdeFfgGHjlLMmNnOoPsTtUuVwxyZ -o: -C: -p: | text                         | ps aux               |
|               | -u: -U: -t: -s: --sort: --forest --pid:     | like -?[AaxufjlrswTmhcHLX]+  | ps -ef               |
|               | --ppid: --user: --no-headers --headers      | like \d+                     | ps -p 1 -o comm=     |
|               | --format: --deselect --width: --cols:       |                              | ps axf               |
|               |                                             |                              | ! ps auxe            |
|               |                                             |                              | ! ps e               |
|               |                                             |                              | ! ps eww             |
|               |                                             |                              | ! ps -E              |
|---------------+---------------------------------------------+------------------------------+----------------------|
| top           | -b -n: -o: -p: -u: -Hi -c -w: -d:           |                              | top -bn1             |
|               |                                             |                              | ! top --unknown      |
|---------------+---------------------------------------------+------------------------------+----------------------|
| pgrep pidof   | -aflnoxcivs -u: -d: -U: -P: --full          | pattern*                     | pgrep -fl node       |
|               | --list-name --list-full                     |                              | ! pgrep --signal 9 x |
|               |                                             |                              | ! pkill x            |
|---------------+---------------------------------------------+------------------------------+----------------------|
| pstree        | -aAchlnpgstTuZ                              | text                         | pstree -p            |
|               |                                             |                              | ! pstree --unknown   |
|---------------+---------------------------------------------+------------------------------+----------------------|
| lscpu         | -abdefhiJklmnoOpPrstTvx --json --all --fs   | also lsusb lspci lsmod lsmem | lsusb -t             |
|               | --bytes --tree                              | also lsns blkid              | lscpu                |
|               |                                             |                              | ! lsusb x            |
|               |                                             |                              | ! blkid -o udev x    |
|               |                                             |                              | ! lspci -i x         |
|---------------+---------------------------------------------+------------------------------+----------------------|
| lsblk findmnt | -abdefhiJlmnpPrstTvD -o: --json --all --fs  |                              | lsblk -f             |
|               | --bytes --tree --output:                    |                              | lsblk -o NAME,SIZE   |
|               |                                             |                              | findmnt -l           |
|               |                                             |                              | ! lsblk x            |
|               |                                             |                              | ! findmnt --poll     |
|               |                                             |                              | ! findmnt -F x       |
|---------------+---------------------------------------------+------------------------------+----------------------|
| dmesg         | -Thkwxtue -l: -f: --human --level: --ctime  |                              | dmesg -T             |
|               | --since: --follow                           |                              | ! dmesg -C           |
|               |                                             |                              | ! dmesg -c           |
|               |                                             |                              | ! dmesg -n 1         |

| program    | options                                      | operands                     | examples                     |
|------------+----------------------------------------------+------------------------------+------------------------------|
| ss netstat | -atunlpsxoemi46Hrgwc --tcp --udp --listening |                              | ss -tlnp                     |
|            | --numeric --processes --all                  |                              | netstat -tuln                |
|            |                                              |                              | ! ss -K                      |
|            |                                              |                              | ! ss -D x                    |
|            |                                              |                              | ! ss -F x                    |
|------------+----------------------------------------------+------------------------------+------------------------------|
| ip         | -46cdhjos =-br =-brief =-color =-json        | text text text text          | ip a                         |
|            | =-details =-stats =-oneline --brief --color  | first a addr address l link  | ip -br addr                  |
|            | --json                                       | first r route n neigh rule   | ip addr show                 |
|            |                                              | only a addr address l link r | ip -4 route                  |
|            |                                              | only route n neigh rule show | ip link show dev eth0        |
|            |                                              | only list ls dev lo          | ! ip netns exec x sh         |
|            |                                              | like [a-z]{2,4}\d+           | ! ip link set eth0 down      |
|            |                                              |                              | ! ip -b file                 |
|            |                                              |                              | ! ip -b a                    |
|            |                                              |                              | ! ip -batch a                |
|            |                                              |                              | ! ip -force -b a             |
|            |                                              |                              | ! ip addr add 1.2.3.4 dev lo |
|------------+----------------------------------------------+------------------------------+------------------------------|
| ifconfig   | -a                                           | also iwconfig                | ifconfig                     |
|            |                                              |                              | ! ifconfig eth0 down         |
|------------+----------------------------------------------+------------------------------+------------------------------|
| nvidiasmi  | -Lq                                          | also nvidia-smi              | nvidia-smi                   |
|            |                                              |                              | ! nvidia-smi -r              |
|            |                                              |                              | ! nvidia-smi --gpu-reset     |

| program      | options                                      | operands                   | examples                          |
|--------------+----------------------------------------------+----------------------------+-----------------------------------|
| mount swapon | -l --show                                    |                            | mount                             |
|              |                                              |                            | swapon --show                     |
|              |                                              |                            | ! mount /dev/sda1 /mnt            |
|              |                                              |                            | ! mount -a                        |
|              |                                              |                            | ! swapon -a                       |
|              |                                              |                            | ! swapon /swapfile                |
|--------------+----------------------------------------------+----------------------------+-----------------------------------|
| timedatectl  | --no-pager                                   | text                       | timedatectl                       |
|              |                                              | also hostnamectl localectl | hostnamectl status                |
|              |                                              | only status show           | ! timedatectl set-time 0          |
|              |                                              | only list-timezones        | ! hostnamectl set-hostname x      |
|              |                                              | only list-locales          |                                   |
|--------------+----------------------------------------------+----------------------------+-----------------------------------|
| systemctl    | -alq -n: -t: -p: --all --no-pager --failed   | text text*                 | systemctl status nginx            |
|              | --full --lines: --type: --state: --property: | first status is-active     | systemctl status 'nginx*'         |
|              | --user --plain --no-legend --value           | first is-enabled is-failed | systemctl list-timers --all       |
|              |                                              | first list-units           | systemctl --user status x.service |
|              |                                              | first list-unit-files      | systemctl --failed                |
|              |                                              | first list-timers          | ! systemctl stop nginx            |
|              |                                              | first list-sockets         | ! systemctl -H host status        |
|              |                                              | first list-dependencies    | ! systemctl enable x.service      |
|              |                                              | first list-jobs cat        | ! systemctl edit x.service        |
|              |                                              | first is-system-running    |                                   |
|              |                                              | like [\w@:.*-]+            |                                   |
|--------------+----------------------------------------------+----------------------------+-----------------------------------|
| journalctl   | -abefklmqrx -n: -o: -p: -t: -u: -S: -U: -g:  |                            | journalctl -u nginx --since today |
|              | --since: --until: --no-pager --unit:         |                            | journalctl -n 50 --no-pager       |
|              | --lines: --priority: --output: --boot?       |                            | journalctl -b -p err              |
|              | --follow --reverse --user --user-unit:       |                            | ! journalctl --vacuum-time=1s     |
|              | --dmesg --grep: --disk-usage --list-boots    |                            | ! journalctl --rotate             |
|              |                                              |                            | ! journalctl -D x                 |
|              |                                              |                            | ! journalctl --file=x             |
|--------------+----------------------------------------------+----------------------------+-----------------------------------|
| crontab      | -l                                           | needs -l                   | crontab -l                        |
|              |                                              |                            | ! crontab                         |
|              |                                              |                            | ! crontab -r                      |
|              |                                              |                            | ! crontab -e                      |
|              |                                              |                            | ! crontab file                    |
|              |                                              |                            | ! crontab -u root -l              |

| program         | options                                  | operands                     | examples                              |
|-----------------+------------------------------------------+------------------------------+---------------------------------------|
| loginctl        | --no-pager --no-legend -l --full         | text text*                   | loginctl                              |
|                 |                                          | only list-sessions           | loginctl list-sessions                |
|                 |                                          | only list-users list-seats   | loginctl session-status 3             |
|                 |                                          | only session-status          | ! loginctl kill-session 3             |
|                 |                                          | only user-status             | ! loginctl terminate-user ann         |
|                 |                                          | like [\w-]*\d[\w-]*          | ! loginctl lock-sessions              |
|-----------------+------------------------------------------+------------------------------+---------------------------------------|
| systemd-analyze | --no-pager --user                        | text text*                   | systemd-analyze                       |
|                 |                                          | only time blame              | systemd-analyze blame                 |
|                 |                                          | only critical-chain          | systemd-analyze critical-chain        |
|                 |                                          | like [\w@-]+\.service        | ! systemd-analyze set-log-level debug |
|                 |                                          | like [\w@-]+\.target         | ! systemd-analyze verify x            |
|                 |                                          | like [\w@-]+\.timer          | ! systemd-analyze -H x                |
|                 |                                          | like [\w@-]+\.socket         |                                       |
|                 |                                          | like [\w@-]+\.mount          |                                       |
|-----------------+------------------------------------------+------------------------------+---------------------------------------|
| networkctl      | -al --all --no-pager --no-legend         | text text                    | networkctl                            |
|                 |                                          | also resolvectl              | networkctl status eth0                |
|                 |                                          | only list status statistics  | resolvectl status                     |
|                 |                                          | only lo                      | ! networkctl down eth0                |
|                 |                                          | like [a-z]{2,4}\d+[\w.]*     | ! resolvectl query example.org        |
|                 |                                          |                              | ! resolvectl flush-caches             |
|-----------------+------------------------------------------+------------------------------+---------------------------------------|
| nmcli           | -tp -c: -f: --terse --pretty --fields:   | text text                    | nmcli                                 |
|                 |                                          | only d dev device c con      | nmcli device status                   |
|                 |                                          | only connection g general    | nmcli connection show                 |
|                 |                                          | only status show permissions | ! nmcli -s connection show x          |
|                 |                                          | only hostname                | ! nmcli con up x                      |
|                 |                                          |                              | ! nmcli device wifi list              |
|                 |                                          |                              | ! nmcli g hostname x                  |
|-----------------+------------------------------------------+------------------------------+---------------------------------------|
| rfkill lpstat   | -aoprtd --all --output:                  | text                         | rfkill list                           |
|                 |                                          | only list                    | lpstat -p                             |
|                 |                                          |                              | ! rfkill block wifi                   |
|                 |                                          |                              | ! rfkill event                        |
|                 |                                          |                              | ! lpstat -h host                      |
|-----------------+------------------------------------------+------------------------------+---------------------------------------|
| iptables        | -LSnvx -t: --list --list-rules --numeric | text                         | iptables -L -n                        |
|                 | --verbose --line-numbers --table:        | also ip6tables               | iptables -S                           |
|                 |                                          | needs -L -S --list           | ! iptables -F                         |
|                 |                                          | needs --list-rules           | ! iptables -A INPUT -j DROP           |
|                 |                                          |                              | ! iptables -L -Z                      |
|                 |                                          |                              | ! iptables -P INPUT DROP              |

| program      | options                                     | operands                  | examples                          |
|--------------+---------------------------------------------+---------------------------+-----------------------------------|
| zgrep        | -EFGPivwxclLnohHsq -e: -m: -A: -B: -C:      | pattern path*             | zgrep error app.log.gz            |
|              | --ignore-case --count --line-number         | also zegrep zfgrep bzgrep | zgrep -c ERR *.gz                 |
|              | --no-filename --with-filename               | also xzgrep zstdgrep      | zgrep -e a b.gz                   |
|              | --only-matching --invert-match --color?     | harmless                  | ! zgrep -f ~/.netrc x             |
|              | --max-count: --extended-regexp -#           | instead -e                | ! zgrep x ~/.ssh/id_rsa.gz        |
|              |                                             |                           | ! zgrep "BEGIN RSA PRIVATE KEY" x |
|--------------+---------------------------------------------+---------------------------+-----------------------------------|
| zdiff        | -abBiquwy --brief --unified?                | path path                 | zdiff -u a.gz b.gz                |
|              |                                             | also zcmp bzdiff xzdiff   | ! zdiff --to-file=x a             |
|              |                                             |                           | ! zdiff a ~/.netrc                |
|--------------+---------------------------------------------+---------------------------+-----------------------------------|
| zless zmore  | -FRXSN                                      | path*                     | zless a.gz                        |
|              |                                             | like [^+].*               | ! zless +!id a.gz                 |
|              |                                             |                           | ! zless -o x a                    |
|--------------+---------------------------------------------+---------------------------+-----------------------------------|
| ar           |                                             | text path text*           | ar t lib.a                        |
|              |                                             | only t tv                 | ar tv lib.a                       |
|              |                                             | like [^-].*\.a            | ! ar x lib.a                      |
|              |                                             | like [^-].*\.deb          | ! ar rcs lib.a x.o                |
|              |                                             | like [^-].*\.ar           | ! ar d lib.a x.o                  |
|              |                                             | like [\w.-]+\.o           | ! ar -M                           |
|--------------+---------------------------------------------+---------------------------+-----------------------------------|
| numfmt tsort | --to: --from: --suffix: --padding: --field: | text*                     | numfmt --to=iec 1024              |
|              | --header? --grouping --round: -d:           | like \d+[\w.]*            | numfmt --to=si                    |
|              | --delimiter:                                |                           | ! tsort /etc/shadow               |
|              |                                             |                           | ! numfmt x                        |

| program    | options     | operands | examples                         |
|------------+-------------+----------+----------------------------------|
| ssh-keygen | -lv -f@ -E: | needs -l | ssh-keygen -lf host.pub          |
|            |             |          | ssh-keygen -l -E md5 -f host.pub |
|            |             |          | ! ssh-keygen                     |
|            |             |          | ! ssh-keygen -t rsa              |
|            |             |          | ! ssh-keygen -R host             |
|            |             |          | ! ssh-keygen -y -f x             |
|            |             |          | ! ssh-keygen -p -f x             |
|------------+-------------+----------+----------------------------------|
| ssh-add    | -l          | needs -l | ssh-add -l                       |
|            |             |          | ! ssh-add                        |
|            |             |          | ! ssh-add -L                     |
|            |             |          | ! ssh-add -D                     |
|            |             |          | ! ssh-add x                      |

| program  | options                                    | operands     | examples                            |
|----------+--------------------------------------------+--------------+-------------------------------------|
| exiftool | -jsGaun =-json                             | path*        | exiftool photo.jpg                  |
|          |                                            | like [^-@=]* | exiftool -j photo.jpg               |
|          |                                            |              | ! exiftool -Artist=x a.jpg          |
|          |                                            |              | ! exiftool -config x a              |
|          |                                            |              | ! exiftool -if x a                  |
|          |                                            |              | ! exiftool -@ x                     |
|          |                                            |              | ! exiftool -w txt a                 |
|----------+--------------------------------------------+--------------+-------------------------------------|
| ffprobe  | =-hide_banner =-show_format =-show_streams | path         | ffprobe -v error -show_format a.mp4 |
|          | =-of: =-print_format: =-show_entries:      | like [^:]+   | ffprobe a.mp4                       |
|          | =-select_streams: =-loglevel: -v:          |              | ! ffprobe http://x/y                |
|          |                                            |              | ! ffprobe concat:a                  |
|          |                                            |              | ! ffprobe -o x a                    |
|          |                                            |              | ! ffprobe -f lavfi a                |
|          |                                            |              | ! ffprobe -i a                      |
`

/** Programs that tell about packages, hardware, sessions and archives, by name. */
export function machinePrograms(): Record<string, ProgramRule> {
  return readPrograms('machine', table)
}
