import type { Config } from '../../platform/settings/config.ts'
import type { Settings } from '../../platform/settings/sources.ts'

/** What was given as `--name`, with its value or without. */
export type CommandFlags = Record<string, string | boolean | undefined>

/** One word of the command line, or two: `serve`, `team create`. */
interface CommandName {
  readonly name: string
  /** What follows the name: `NAME [--team T]`. */
  readonly usage: string
  readonly summary: string
  /** Flags that it takes, for the parser of node:util. */
  readonly options?: Record<string, { type: 'boolean' | 'string' }>
  /** How many words it needs after its name; two numbers: at least, and at most. */
  readonly words: number | readonly [number, number]
}

/** What a command is given. */
export interface CommandInput {
  readonly config: Config
  /** With the settings of all files in it. */
  readonly environment: NodeJS.ProcessEnv
  readonly words: string[]
  readonly flags: CommandFlags
  print(line: string): void
}

export interface Command extends CommandName {
  run(input: CommandInput): Promise<void>
}

/** It runs also when a setting is wrong, and reports that itself. */
export interface SettingsCommand extends CommandName {
  report(settings: Settings, output: { flags: CommandFlags; print(line: string): void }): Promise<void>
}

/** A mistake of the operator: printed in one line, exit 1. */
export class OperatorError extends Error {}

/** For commands that programs call, too: one object on one line, with the names of the API, and nothing besides. */
export const JSON_FLAG = { json: { type: 'boolean' } } as const

/** What `--json` prints of several things. */
export const listOf = (data: readonly object[]) => JSON.stringify({ object: 'list', data })

/** Records as lines of columns, under their names. */
export function tableOf(records: readonly Readonly<Record<string, string>>[]): string[] {
  const names = Object.keys(records[0] ?? {})
  const rows = [names, ...records.map((record) => names.map((name) => record[name]!))].map((row) => row.map(oneLine))
  const widths = names.map((_name, index) => Math.max(...rows.map((row) => row[index]!.length)))
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index]!))
      .join('  ')
      .trimEnd(),
  )
}

/** Untrusted text must not control the terminal. */
export const oneLine = (text: string) => text.replace(/\p{C}+/gu, ' ')

/** The name of something that is made: it is shown to people in lists and mails. */
export function requireName(what: string, given: string, maxLength: number): string {
  const name = given.trim()
  if (name === '') throw new OperatorError(`The name of a ${what} must not be empty.`)
  if ([...name].length > maxLength)
    throw new OperatorError(`The name of a ${what} can have at most ${maxLength} characters.`)
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(name))
    throw new OperatorError(`The name of a ${what} must not have line breaks or other control characters.`)
  return name
}
