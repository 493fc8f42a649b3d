import { createConnection } from 'node:net'
import type { SpamRule, SpamScore } from './spam-filter.ts'

interface Question {
  readonly host: string
  readonly port: number
  readonly message: Buffer
  /** For everything together. */
  readonly timeoutMs: number
  readonly maxBytes: number
}

/**
 * Asks SpamAssassin's spamd for its report about a message (spamd/PROTOCOL of its sources). It answers once and closes, so what there is
 * at the end is the answer; a filter that stays silent, drips or never stops is given up.
 */
export function askSpamd(question: Question): Promise<{ kind: 'answered' | 'failed'; text: string }> {
  const { host, port, message, timeoutMs, maxBytes } = question
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const socket = createConnection({ host, port })
    const end = (kind: 'answered' | 'failed', text: string) => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ kind, text })
    }
    const timer = setTimeout(() => end('failed', `no answer within ${timeoutMs} ms`), timeoutMs)
    socket.on('connect', () => {
      socket.write(`REPORT SPAMC/1.5\r\nContent-length: ${message.length}\r\n\r\n`)
      // Not ended: some versions take that for a client that went away.
      socket.write(message)
    })
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > maxBytes) end('failed', `its answer is larger than ${maxBytes} bytes`)
    })
    socket.on('end', () => end('answered', Buffer.concat(chunks).toString()))
    socket.on('error', (error: NodeJS.ErrnoException) =>
      end('failed', error.message || error.code || 'the connection failed'),
    )
  })
}

/** What the answer says. Null: it is none. */
export function readSpamd(answer: string): SpamScore | null {
  const end = answer.search(/\r?\n\r?\n/)
  const head = end < 0 ? answer : answer.slice(0, end)
  if (!/^SPAMD\/[\d.]+ 0 /.test(head)) return null
  const [, score, threshold] = /^Spam:\s*\w+\s*;\s*(-?[\d.]+)\s*\/\s*(-?[\d.]+)/im.exec(head) ?? []
  if (score === undefined || !Number.isFinite(Number(score)) || !Number.isFinite(Number(threshold))) return null
  return { score: Number(score), threshold: Number(threshold), rules: rulesIn(end < 0 ? '' : answer.slice(end)) }
}

const RULE = /^[ *]{0,3}(-?\d{1,4}(?:\.\d{1,3})?)\s+([A-Z][A-Z0-9_]{1,80})\s*(.{0,200})$/

/** The table of the report: points, name and words of each rule. The words go on in lines that begin with spaces. */
function rulesIn(report: string): SpamRule[] {
  const rules: SpamRule[] = []
  for (const line of report.split(/\r?\n/)) {
    const [, score, name, description] = RULE.exec(line) ?? []
    if (name) rules.push({ name, score: Number(score), description: description!.trim() })
    else if (rules.length > 0 && /^\s{10,}\S/.test(line)) {
      const last = rules.pop()!
      rules.push({ ...last, description: `${last.description} ${line.trim()}`.slice(0, 500) })
    }
  }
  return rules
}
