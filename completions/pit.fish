# Completes pit's command lines in fish. Put it into a completions folder, where fish finds it.
# It asks `pit __complete`, which sends no request and writes nothing. The line and the answer are text: nothing here
# expands or runs them.

function __pit_complete
    # fish would report a missing program in the middle of the line
    command -q pit; or return
    set -l line (commandline -cp | string collect)
    set -l answer (command pit __complete $line 2>/dev/null)
    switch "$answer"
        case :file
            complete -C "'' "(commandline -ct | string collect)
        case :program
            complete -C (string replace -r '^.*? -- ' '' -- $line | string collect)
        case '*'
            string join -- \n $answer
    end
end

# -k keeps the order: orders are newest first
complete -c pit -f -k -a '(__pit_complete)'
