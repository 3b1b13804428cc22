# fish completion for roundel; `roundel --complete WORD...` prints the candidates.
function __roundel_complete
    set -l word (commandline -ct)
    for line in (roundel --complete (commandline -opc)[2..-1] "$word" 2>/dev/null)
        switch $line
            case '<files>'
                __fish_complete_path $word
            case '<folders>'
                __fish_complete_directories $word
            case '<scenes>'
                __fish_complete_path $word | string match -r '^[^\t]*(?:/|\.ya?ml|\.json)(?:\t.*)?$'
            case '*'
                echo $line
        end
    end
end
complete -c roundel -f -a '(__roundel_complete)'
