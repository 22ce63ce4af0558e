# Completes pit's command lines in PowerShell. Dot-source it in your profile: . 'FOLDER/pit.ps1'
# It asks pit itself what may follow; the line goes to it in a variable, so that nothing in it can be taken for a command.

Register-ArgumentCompleter -Native -CommandName pit -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $line = $commandAst.Extent.Text
    $length = $cursorPosition - $commandAst.Extent.StartOffset
    if ($length -lt $line.Length) {
        $line = $line.Substring(0, $length)
    } elseif ($length -gt $line.Length) {
        # the extent ends with the last word, and the cursor is beyond it
        $line += ' '
    }
    $before = $env:PIT_COMPLETE_LINE
    try {
        $env:PIT_COMPLETE_LINE = $line
        $words = @(& pit --complete 2>$null)
    } catch {
        $words = @()
    } finally {
        # null removes it
        $env:PIT_COMPLETE_LINE = $before
    }
    foreach ($word in $words) {
        # a comma would make a list of two words
        $text = if ($word -match '^[A-Za-z0-9_.:/=+-]+$') { $word } else { "'" + $word.Replace("'", "''") + "'" }
        [System.Management.Automation.CompletionResult]::new($text, $word, 'ParameterValue', $word)
    }
}
