# fish completion for roundel: commands, and the options that each command's --help lists.
complete -c roundel -n __fish_use_subcommand -f \
    -a '(roundel --help 2>/dev/null | string replace -rf "^  ([a-z]+) +(.*)" "\$1\t\$2")'
complete -c roundel -n __fish_use_subcommand -f -a help -d 'print the help of a command'
complete -c roundel -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -f \
    -a '(roundel (commandline -opc)[2] --help 2>/dev/null | string replace -rf "^  (?:-., |    )(--[a-z-]*).*" "\$1")'
