_waynote() {
    local IFS=$'\013' line="${COMP_LINE:0:COMP_POINT}" words cur last i
    IFS=' ' read -ra words <<< "$line"
    if [[ "$line" == *' ' ]]; then words+=(""); fi
    last=$(( ${#words[@]} - 1 ))
    cur="${words[last]}"
    COMPREPLY=( $(_CLAP_IFS="$IFS" _CLAP_COMPLETE_INDEX="$last" WAYNOTE_COMPLETE=bash waynote -- "${words[@]}" 2> /dev/null) )
    if [[ "$cur" == *:* ]]; then
        cur="${cur%"${cur##*:}"}"
        COMPREPLY=( "${COMPREPLY[@]#"$cur"}" )
    fi
    for i in "${!COMPREPLY[@]}"; do
        if [[ "${COMPREPLY[i]}" == *[^[:alnum:]_./:@\#%+=,~-]* ]]; then
            COMPREPLY[i]=$(printf %q "${COMPREPLY[i]}")
        fi
    done
}
complete -o bashdefault -o default -F _waynote waynote
