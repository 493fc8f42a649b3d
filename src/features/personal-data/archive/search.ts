import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { BlobStore } from '../../../adapters/blobs/blob-store.ts'
import { AS_PARQUET, hasDuckDb, identifier, ParquetWriter, quoted } from '../../../adapters/parquet/parquet.ts'
import { inTemporaryFolder } from '../../../kernel/partitions/temporary.ts'
import type { AddressPattern } from '../../../mail/address-pattern.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { type ArchiveFolder, copyFile, readArchive, replaceFile, settleManifest } from './files.ts'

// The archive of old periods is searched and written anew by DuckDB, one file after the other.

export interface ArchiveSearch {
  readonly blobs: BlobStore
  readonly config: Pick<Config, 'DATA_DIR'>
  readonly pattern: AddressPattern
  /** Null: the whole installation. */
  readonly team: string | null
  readonly signal?: AbortSignal
  /** Whether files can be read at all. */
  readonly canRead?: () => Promise<boolean>
  progress(file: string): Promise<void>
}

/** Whose rows name the people of a mail. A mail goes as a whole, with what it says: the other rows are those of the same day with its id. */
const OF_PEOPLE = ['emails', 'deliveries', 'settled_deliveries', 'received_emails']

/** By table, when one of them names the address. */
type Found = (table: string, rows: number) => void

/** Gives how many files could not be searched, since DuckDB is not there. */
export const findArchived = (
  search: ArchiveSearch,
  { found, each }: { found: Found; each?: ((table: string, row: string) => Promise<void>) | undefined },
): Promise<number> =>
  inArchive(search, async (days, files) => {
    for (const folders of days.values())
      for (const folder of folders)
        for (const key of folder.files) {
          const file = await files.open(folder, key)
          const rows = file ? await files.count(file, file.isNamed) : 0
          if (rows === 0) continue
          found(folder.table, rows)
          if (each) for await (const row of files.rows(file!)) await each(folder.table, row)
        }
  })

/** Removes the rows that name the address. Gives how many files could not be searched. */
export const eraseArchived = (search: ArchiveSearch, erased: Found): Promise<number> =>
  inArchive(search, async (days, files) => {
    for (const folders of days.values()) {
      const isOfPeople = ({ table }: ArchiveFolder) => OF_PEOPLE.includes(table)
      await files.forgetIds()
      for (const folder of folders.filter(isOfPeople))
        for (const key of folder.files) await files.noteIds(await files.open(folder, key))
      // Those that name people come last: as long as they do, whoever goes on finds the same ids.
      for (const folder of [...folders.filter((one) => !isOfPeople(one)), ...folders.filter(isOfPeople)])
        for (const key of folder.files) {
          const file = await files.open(folder, key)
          if (!file) continue
          await settleManifest(search.blobs, folder, file)
          const gone = await files.count(file, file.isGoing)
          if (gone > 0) await files.replaceWithout(folder, file, gone)
          if (gone > 0) erased(folder.table, gone)
        }
    }
  })

async function inArchive(
  search: ArchiveSearch,
  work: (days: Map<string, ArchiveFolder[]>, files: Files) => Promise<void>,
): Promise<number> {
  const days = await readArchive(search.blobs)
  if (days.size === 0) return 0
  if (!(await (search.canRead ?? hasDuckDb)()))
    return [...days.values()].flat().reduce((sum, { files }) => sum + files.length, 0)
  return inTemporaryFolder(search.config, async (folder) => {
    const writer = new ParquetWriter()
    try {
      await work(days, new Files(search, writer, folder))
      return 0
    } finally {
      writer.close()
    }
  })
}

interface OpenFile {
  readonly key: string
  /** Where its copy is. */
  readonly path: string
  /** Conditions on its rows. */
  readonly isNamed: string
  readonly isGoing: string
  /** The column with the id of its mail. */
  readonly id: string | null
}

/** One file at a time, as a copy in a folder. */
class Files {
  readonly #search: ArchiveSearch
  readonly #writer: ParquetWriter
  readonly #folder: string

  constructor(search: ArchiveSearch, writer: ParquetWriter, folder: string) {
    this.#search = search
    this.#writer = writer
    this.#folder = folder
  }

  #run(statement: string) {
    return this.#writer.run(statement, this.#folder)
  }

  /** Null: it has gone, or has nothing of the team. */
  async open({ table }: ArchiveFolder, key: string): Promise<OpenFile | null> {
    const { blobs, pattern, team, signal } = this.#search
    signal?.throwIfAborted()
    await this.#search.progress(key)
    const path = join(this.#folder, 'rows.parquet')
    if (!(await copyFile(blobs, key, path))) return null
    const columns = (await this.#run(`describe select * from ${rowsIn(path)}`)) as unknown as DescribedColumn[]
    const names = columns.map(({ column_name }) => column_name)
    if (team !== null && !names.includes('team_id')) return null
    const ofTeam = team === null ? 'true' : `team_id = ${quoted(team)}`
    const id =
      ['email_id', 'received_id', ...(OF_PEOPLE.includes(table) ? ['id'] : [])].find((one) => names.includes(one)) ??
      null
    const texts = columns.flatMap((column) => textOf(column) ?? [])
    const isIn = texts.map((text) => `coalesce(regexp_matches(${text}, ${quoted(pattern.re2)}, 'i'), false)`)
    const isNamed = `(${ofTeam} and (${isIn.join(' or ') || 'false'}))`
    const isGoing = id === null ? isNamed : `(${isNamed} or (${ofTeam} and ${id} in (select id from named)))`
    return { key, path, isNamed, isGoing, id }
  }

  async count({ path }: OpenFile, condition: string): Promise<number> {
    const [row] = await this.#run(`select count(*)::int as count from ${rowsIn(path)} where ${condition}`)
    return Number(row!.count)
  }

  async forgetIds() {
    await this.#run('create or replace temp table named (id uuid)')
  }

  async noteIds(file: OpenFile | null) {
    if (file?.id) await this.#run(`insert into named select ${file.id} from ${rowsIn(file.path)} where ${file.isNamed}`)
  }

  /** As lines of JSON. */
  async *rows({ path, isNamed }: OpenFile): AsyncGenerator<string> {
    const lines = join(this.#folder, 'lines')
    await this.#run(`copy (select * from ${rowsIn(path)} where ${isNamed}) to ${quoted(lines)} (format json)`)
    for await (const line of createInterface({ input: createReadStream(lines), crlfDelay: Number.POSITIVE_INFINITY }))
      if (line !== '') yield line
  }

  async replaceWithout(folder: ArchiveFolder, { key, path, isGoing }: OpenFile, gone: number) {
    const target = join(this.#folder, 'rest.parquet')
    const [row] = await this.#run(`select count(*)::int as count from ${rowsIn(path)}`)
    await this.#run(`copy (select * from ${rowsIn(path)} where not ${isGoing}) to ${quoted(target)} ${AS_PARQUET}`)
    await replaceFile(this.#search.blobs, folder, { key, path: target, rows: Number(row!.count) - gone })
  }
}

const rowsIn = (path: string) => `read_parquet(${quoted(path)})`

interface DescribedColumn {
  readonly column_name: string
  readonly column_type: string
}

/** What is searched of a column; null: it cannot hold an address. Bytes are ASCII, or `\xNN`. */
function textOf({ column_name, column_type }: DescribedColumn): string | null {
  const name = identifier(column_name)
  if (column_type === 'VARCHAR') return name
  if (column_type === 'BLOB') return `${name}::varchar`
  return column_type === 'VARCHAR[]' ? `array_to_string(${name}, chr(10))` : null
}
