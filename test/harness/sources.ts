import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MailServerOptions } from './mail-conversation.ts'

/** The settings of a process that sends from these sources. */
export function sourcesSetting(file: object): { POSTWREN_SOURCES: string } {
  const path = join(mkdtempSync(join(tmpdir(), 'sources-')), 'sources.json')
  writeFileSync(path, JSON.stringify(file))
  return { POSTWREN_SOURCES: path }
}

/** Addresses of every Linux machine: `127.0.0.2` is `two.test`. */
export const LOOPBACK_SOURCES = [
  { name: 'two', address: '127.0.0.2', ehlo: 'two.test' },
  { name: 'three', address: '127.0.0.3', ehlo: 'three.test' },
] as const

/** What a mail server is told in EHLO, by connection. */
export function ehloNames() {
  const names = new Map<number, string>()
  const react: NonNullable<MailServerOptions['react']> = ({ step, line, connection }) => {
    if (step === 'EHLO') names.set(connection, line.split(' ')[1]!)
    return undefined
  }
  return { names, react }
}
