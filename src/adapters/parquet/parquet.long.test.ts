import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, onTestFinished, test } from 'vitest'
import { hasDuckDb, ParquetWriter } from './parquet.ts'

function writerOf() {
  const writer = new ParquetWriter()
  onTestFinished(() => writer.close())
  return writer
}

test('lines become rows with their types, whatever is in them', async () => {
  const folder = mkdtempSync(join(tmpdir(), "parquet it's "))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [lines, target] = [join(folder, 'lines'), join(folder, 'rows.parquet')]
  const rows = [
    {
      id: '01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f',
      text: 'a "quoted"\nline, ✓\u2028 \\',
      raw: '00ff',
      at: '2026-11-17T21:00:00.123456',
      yes: true,
      list: ['a', ''],
      n: 7,
    },
    { id: null, text: '', raw: null, at: null, yes: null, list: null, n: null },
  ]
  writeFileSync(lines, rows.map((row) => JSON.stringify(row)).join('\n'))

  await writerOf().write({
    lines,
    maxLineBytes: 1_000_000,
    target,
    temporaryFolder: folder,
    columns: [
      { name: 'id', type: 'UUID' },
      { name: 'text', type: 'VARCHAR' },
      { name: 'raw', type: 'BLOB' },
      { name: 'at', type: 'TIMESTAMP' },
      { name: 'yes', type: 'BOOLEAN' },
      { name: 'list', type: 'VARCHAR[]' },
      { name: 'n', type: 'BIGINT' },
    ],
  })

  const connection = await (await DuckDBInstance.create()).connect()
  const reader = await connection.runAndReadAll(
    `select id::text as id, text, hex(raw) as raw, "at"::text as "at", yes, list::text as list, n::int as n
     from read_parquet('${target.replaceAll("'", "''")}')`,
  )
  expect(reader.getRowObjectsJson()).toEqual([
    { ...rows[0], raw: '00FF', at: '2026-11-17 21:00:00.123456', list: "[a, '']" },
    rows[1],
  ])
})

test('what cannot be written fails with the reason', async () => {
  expect(await hasDuckDb()).toBe(true)
  const file = {
    lines: '/nonexistent',
    maxLineBytes: 1_000,
    target: '/nonexistent/x',
    temporaryFolder: '/tmp',
    columns: [{ name: 'id', type: 'UUID' as const }],
  }
  await expect(writerOf().write(file)).rejects.toThrow(/^DuckDB failed: .*\/nonexistent/)
})
