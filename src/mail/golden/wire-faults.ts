/** What a strict server or an old gateway could take offence at, line by line. */
export function faultsOf(message: Buffer): string[] {
  const text = message.toString('latin1')
  const lines = text.split('\r\n')
  const headerLines = lines.slice(0, lines.indexOf(''))
  return [
    ...(/\r(?!\n)|(?<!\r)\n/.test(text) ? ['a bare CR or LF'] : []),
    ...(text.endsWith('\r\n') ? [] : ['no line end at the end']),
    ...lines.filter((line) => line.length > 998).map((line) => `longer than 998: ${line}`),
    ...headerLines.filter(isNeedlesslyLong).map((line) => `could have been folded: ${line}`),
    ...headerLines.filter((line) => /^\s*$/.test(line)).map(() => 'a header line of nothing but white space'),
    ...lines
      .filter((line) => line.length > 76 && /=\?UTF-8\?[BQ]\?\S*\?=/.test(line))
      .map((line) => `over 76: ${line}`),
    ...(text.match(/=\?UTF-8\?[BQ]\?[^\s"]{64,}\?=/g) ?? []).map((word) => `an encoded word over 75: ${word}`),
  ]
}

/** More than 76 characters with white space inside, other than that after the name and in the name of a file. */
function isNeedlesslyLong(line: string): boolean {
  return line.length > 76 && /\S\s+\S/.test(line.replace(/^[!-9;-~]+: /, ' ').replace(/name=".*"/, ''))
}
