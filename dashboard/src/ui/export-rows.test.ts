import { expect, test } from 'vitest'
import { exportRows } from './export-rows.ts'

const ALL = Array.from({ length: 250 }, (_, at) => ({ id: String(at), name: at === 1 ? '=1+1' : `name ${at}` }))

const read = async ({ limit, after }: { limit: number; after: string | undefined }) => {
  const from = after === undefined ? 0 : Number(after) + 1
  return { data: ALL.slice(from, from + limit), has_more: from + limit < ALL.length }
}

const COLUMNS = [
  ['id', ({ id }: { id: string }) => id],
  ['name', ({ name }: { name: string }) => name],
] as const

test('page by page, all of it, with formulas as text', async () => {
  const progress: number[] = []
  const { parts, rows, isCut } = await exportRows({
    columns: COLUMNS,
    read,
    onProgress: (count) => progress.push(count),
    signal: new AbortController().signal,
  })

  expect(progress).toEqual([100, 200, 250])
  const lines = parts.join('').split('\r\n')
  expect(lines.slice(0, 3)).toEqual(['id,name', '0,name 0', "1,'=1+1"])
  expect(lines).toHaveLength(1 + 250 + 1)
  expect({ rows, isCut }).toEqual({ rows: 250, isCut: false })
})

test('not more than its bound, and says so', async () => {
  const { rows, isCut } = await exportRows({
    columns: COLUMNS,
    read,
    onProgress: () => {},
    signal: new AbortController().signal,
    maxRows: 130,
  })

  expect({ rows, isCut }).toEqual({ rows: 130, isCut: true })
})

test('ends when it is canceled', async () => {
  const stop = new AbortController()
  const exporting = exportRows({ columns: COLUMNS, read, onProgress: () => stop.abort(), signal: stop.signal })

  await expect(exporting).rejects.toThrow('aborted')
})
