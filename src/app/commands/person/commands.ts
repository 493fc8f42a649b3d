import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { finished } from 'node:stream/promises'
import { openBlobStore } from '../../../adapters/blobs/open-blob-store.ts'
import { isDuckDbInstalled } from '../../../adapters/parquet/parquet.ts'
import { begin, perform } from '../../../features/personal-data/perform.ts'
import type { PersonalDataServices } from '../../../features/personal-data/services.ts'
import { findObstacle } from '../../../features/personal-data/tables/obstacles.ts'
import type { Counts, Reached } from '../../../features/personal-data/tables/run.ts'
import { openSealer } from '../../../kernel/secrets.ts'
import { isAddress } from '../../../mail/address.ts'
import { type CommandInput, OperatorError, oneLine, tableOf } from '../command.ts'
import { requireDatabase } from '../database.ts'
import { numberOf, Progress } from '../progress.ts'
import { quiet } from '../quiet.ts'
import { OPERATOR, requireTeam } from '../teams.ts'

interface Asked extends PersonalDataServices {
  readonly address: string
  readonly team: string | null
  readonly progress: Progress
}

async function withAsked<Result>({ config, words, flags }: CommandInput, work: (asked: Asked) => Promise<Result>) {
  const [address = ''] = words
  if (!isAddress(address)) throw new OperatorError(`${oneLine(address)} is not an email address.`)
  const database = await requireDatabase(config, quiet)
  const progress = new Progress()
  try {
    const { db } = database
    const team = flags.team === undefined ? null : await requireTeam(db, flags.team)
    const parts = { db, config, sealer: await openSealer(db, config), blobs: await openBlobStore(config) }
    return await work({ ...parts, address, team, progress })
  } finally {
    progress.end()
    await database.close()
  }
}

const showing =
  ({ progress }: Asked) =>
  ({ table }: Reached, rows: number) =>
    progress.show(`Searching ${table}, rows`, rows)

const report = async (asked: Asked): Promise<Counts> => {
  const request = await begin(asked, { ...asked, action: 'report' })
  return (await perform(asked, request, { ...asked, actor: OPERATOR, onProgress: showing(asked) })).counts
}

export const runExport = (input: CommandInput) =>
  withAsked(input, async (asked) => {
    const { flags, print } = input
    if (flags.to === '') throw new OperatorError('--to needs the path of a file.')
    const file = typeof flags.to === 'string' ? createWriteStream(flags.to, { flags: 'wx', mode: 0o600 }) : null
    if (file) await once(file, 'open').catch((error: Error) => Promise.reject(new OperatorError(error.message)))
    const lineOf = (table: string, row: string) =>
      `{"table":${JSON.stringify(table)},"row":${row.replace(/[\r\n]+/g, ' ')}}`
    const each = async (table: string, row: string) => {
      if (flags.json) print(lineOf(table, row))
      if (file && !file.write(`${lineOf(table, row)}\n`)) await once(file, 'drain')
    }
    const request = await begin(asked, { ...asked, action: 'export' })
    const { counts } = await perform(asked, request, {
      ...{ address: asked.address, actor: OPERATOR, onProgress: showing(asked) },
      ...((file || flags.json) && { each }),
    })
    file?.end()
    if (file) await finished(file)
    asked.progress.end()
    if (flags.json) return
    for (const line of linesOf(counts, `Nothing is kept about ${oneLine(asked.address)}.`)) print(line)
    const unsearched = archiveLine(counts)
    if (unsearched !== null) print(unsearched)
    if (file) print(`Written to ${flags.to}.`)
  })

export const runErase = (input: CommandInput) =>
  withAsked(input, async (asked) => {
    const { flags, print } = input
    const obstacle = await findObstacle(asked, asked.address, asked.team)
    if (obstacle !== null) throw new OperatorError(obstacle)
    if (!flags.yes) await requireConsent(asked, print)
    const request = await begin(asked, { ...asked, action: 'erase' })
    const { counts, isComplete } = await perform(asked, request, {
      ...{ address: asked.address, actor: OPERATOR, onProgress: showing(asked) },
    })
    asked.progress.end()
    if (flags.json) {
      const { id, team, digest } = request
      print(
        JSON.stringify({ object: 'personal_data_request', id, team_id: team, digest, complete: isComplete, counts }),
      )
    } else {
      for (const line of linesOf(counts, `Nothing was kept about ${oneLine(asked.address)}.`)) print(line)
      const why = archiveLine(counts) ?? UNFINISHED
      print(isComplete ? `Erased. The suppression list has ${request.digest} instead.` : why)
    }
    if (!isComplete) process.exitCode = 1
  })

const UNFINISHED =
  'Some mail that names the address is still being delivered or read. Run the command again when it has left: postwren queue list'

async function requireConsent(asked: Asked, print: (line: string) => void) {
  const counts = await report(asked)
  asked.progress.end()
  for (const line of linesOf(counts, `Nothing is kept about ${oneLine(asked.address)}.`)) print(line)
  const unsearched = archiveLine(counts)
  if (unsearched !== null) print(unsearched)
  if (!process.stdin.isTTY) throw new OperatorError('Nothing was erased. Add --yes to erase it.')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`Erase ${oneLine(asked.address)}? This cannot be undone. [y/N] `)
  terminal.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new OperatorError('Nothing was erased.')
}

/** What could not be searched of the archive of old periods; null: nothing. */
function archiveLine({ archive }: Counts): string | null {
  if (archive?.pending === undefined) return null
  return isDuckDbInstalled()
    ? 'The archive of old periods was not searched: it is being written. Run the command again later.'
    : `The archive of old periods was not searched (${numberOf(archive.pending)} files): that needs the package @duckdb/node-api. Install it beside Postwren, then run the command again.`
}

function linesOf(counts: Counts, nothing: string): string[] {
  const tables = Object.entries(counts).filter(([name]) => name !== 'archive')
  if (tables.length === 0) return [nothing]
  const shown = (count: number | undefined) => (count === undefined ? '' : numberOf(count))
  const columns = (['found', 'deleted', 'redacted', 'files'] as const).filter((kind) =>
    tables.some(([, of]) => of[kind] !== undefined),
  )
  return tableOf(
    tables.map(([table, of]) => ({
      KIND: table.replaceAll('_', ' '),
      ...Object.fromEntries(columns.map((kind) => [kind.toUpperCase(), shown(of[kind])])),
    })),
  )
}
