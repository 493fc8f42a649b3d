import { useEffect, useRef, useState } from 'react'
import { call, type Input, type Item, type ListId } from '../api.ts'
import { saveFile } from '../save-file.ts'
import { Button } from './button.tsx'
import type { CsvColumn } from './export-rows.ts'
import { formatNumber } from './locale.ts'
import { texts } from './texts.ts'
import { toast } from './toast.tsx'

interface ExportButtonProps<Id extends ListId> {
  readonly list: Id
  /** What is searched and filtered by. */
  readonly input: Omit<Input<Id>, 'limit' | 'after' | 'before'>
  readonly columns: readonly CsvColumn<Item<Id>>[]
  readonly fileName: string
}

/** The whole search as a file, not only the page that is shown. */
export function ExportButton<Id extends ListId>({ list, input, columns, fileName }: ExportButtonProps<Id>) {
  const [rows, setRows] = useState<number | null>(null)
  const stop = useRef<AbortController | null>(null)
  useEffect(() => () => stop.current?.abort(), [])
  const start = async () => {
    const control = new AbortController()
    stop.current = control
    setRows(0)
    try {
      const { exportRows, MAX_EXPORT_ROWS } = await import('./export-rows.ts')
      const exported = await exportRows<Item<Id>>({
        columns,
        read: async (page) => asPage<Id>(await call(list, { ...input, ...page } as unknown as Input<Id>, control)),
        onProgress: setRows,
        signal: control.signal,
      })
      saveFile(fileName, new Blob([...exported.parts], { type: 'text/csv;charset=utf-8' }))
      toast(exported.isCut ? texts.export.cut(formatNumber(MAX_EXPORT_ROWS)) : texts.export.done(exported.rows))
    } catch (error) {
      if (!control.signal.aborted) toast((error as Error).message, { isError: true })
    } finally {
      setRows(null)
    }
  }
  if (rows === null)
    return (
      <Button icon="download" title={texts.export.start} onClick={start}>
        <span className="export-label">{texts.export.start}</span>
      </Button>
    )
  return (
    <>
      <span className="muted" role="status">
        {texts.export.progress(rows)}
      </span>
      <Button onClick={() => stop.current?.abort()}>{texts.export.cancel}</Button>
    </>
  )
}

/** The compiler does not see that all lists answer alike. */
const asPage = <Id extends ListId>(reply: unknown) => reply as { has_more: boolean; data: readonly Item<Id>[] }
