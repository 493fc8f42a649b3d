import type { BenchEmail } from '../email.ts'

const BOUNDARY = 'bench-0001'

/** The email of the benchmarks as a mail client would write it, ready to be put on the wire: no line begins with a dot or is too long. */
export function mimeOf({ from, to, subject, html, text }: BenchEmail): string {
  const part = (type: string, content: string) => [
    `--${BOUNDARY}`,
    `Content-Type: ${type}; charset=utf-8`,
    'Content-Transfer-Encoding: 7bit',
    '',
    ...wrapped(content),
  ]
  return [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    'MIME-Version: 1.0',
    `Content-Type: multipart/alternative; boundary="${BOUNDARY}"`,
    '',
    ...part('text/plain', text),
    ...part('text/html', html),
    `--${BOUNDARY}--`,
  ].join('\r\n')
}

const MAX_LINE = 76

/** Broken at spaces, which html and prose do not mind. */
function wrapped(content: string): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of content.trim().split(' ')) {
    if (line && line.length + 1 + word.length > MAX_LINE) {
      lines.push(line)
      line = word
    } else line = line ? `${line} ${word}` : word
  }
  return [...lines, line]
}
