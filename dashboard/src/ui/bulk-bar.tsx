import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { EndpointId, IdBeginning } from '../api.ts'
import { isOneOf, refetchMatching } from '../queries.ts'
import { useAllowed } from './allowed.tsx'
import { type BulkReport, runBulk } from './bulk.ts'
import { Button, IconButton } from './button.tsx'
import { Confirm, Dialog } from './dialog.tsx'
import type { Option } from './filter-values.ts'
import { formatNumber } from './locale.ts'
import { Menu } from './menu.tsx'
import { toast } from './toast.tsx'
import { verified } from './verification.tsx'
import './bulk-bar.css'
import './progress.css'
import { texts } from './texts.ts'

export interface BulkAct<One> {
  readonly label: string
  /** What it calls: whoever may not call it does not see the button. */
  readonly needs: EndpointId
  /** One call for so many of them. */
  readonly size?: number
  run(items: readonly One[], option: string): Promise<unknown>
  /** What to say of so many that it was done with. */
  readonly done: (count: number) => string
  /** The question before it, for what cannot be undone. */
  readonly confirm?: { readonly title: (count: number) => string; readonly note: string }
  /** One of these is chosen first. */
  readonly options?: readonly Option[]
  /** Only with these of the selected ones. */
  readonly isFor?: (item: One) => boolean
}

interface BulkBarProps<One> {
  readonly label: string
  readonly items: readonly One[]
  readonly nameOf: (item: One) => string
  readonly acts: readonly BulkAct<One>[]
  /** The endpoints whose answers have to be read again, or how their ids begin. */
  readonly refresh: readonly IdBeginning[]
  readonly onClear: () => void
}

interface Running {
  readonly settled: number
  readonly all: number
}

/** What can be done with the selected rows: each act with its progress, and afterwards with what failed. */
export function BulkBar<One>({ label, items, nameOf, acts, refresh, onClear }: BulkBarProps<One>) {
  const queries = useQueryClient()
  const isAllowed = useAllowed()
  const [running, setRunning] = useState<Running | null>(null)
  const [asking, setAsking] = useState<BulkAct<One> | null>(null)
  const [report, setReport] = useState<BulkReport<One> | null>(null)
  const stop = useRef<AbortController | null>(null)
  const itemsOf = ({ isFor = () => true }: BulkAct<One>) => items.filter(isFor)
  const start = async (act: BulkAct<One>, option = '') => {
    const wanted = itemsOf(act)
    stop.current = new AbortController()
    setRunning({ settled: 0, all: wanted.length })
    const result = await runBulk(wanted, {
      ...(act.size && { size: act.size }),
      run: (group) => verified(() => act.run(group, option)),
      onProgress: (settled) => setRunning({ settled, all: wanted.length }),
      signal: stop.current.signal,
    })
    await refetchMatching(queries, ({ queryKey }) => isOneOf(queryKey, refresh))
    setRunning(null)
    if (result.done > 0) toast(act.done(result.done))
    if (result.failures.length > 0) setReport(result)
    else onClear()
  }
  const offered = acts.filter(({ needs }) => isAllowed(needs))
  return (
    <section className="bulk-bar" aria-label={texts.bulk.label(label)}>
      <strong role="status">{texts.bulk.selected(items.length)}</strong>
      {running ? (
        <>
          <progress aria-label={texts.bulk.progress} max={running.all} value={running.settled} />
          <span className="muted">{texts.bulk.settled(formatNumber(running.settled), formatNumber(running.all))}</span>
          <Button onClick={() => stop.current?.abort()}>{texts.bulk.stop}</Button>
        </>
      ) : (
        <>
          {offered.map((act) =>
            act.options ? (
              <Menu
                key={act.label}
                label={act.label}
                trigger={<Button disabled={act.options.length === 0}>{act.label}</Button>}
                items={act.options.map(({ value, label: name }) => ({
                  label: name,
                  onChoose: () => void start(act, value),
                }))}
              />
            ) : (
              <Button
                key={act.label}
                disabled={itemsOf(act).length === 0}
                onClick={() => (act.confirm ? setAsking(act) : void start(act))}
              >
                {act.label}
              </Button>
            ),
          )}
          <IconButton icon="close" label={texts.selection.clear} onClick={onClear} />
        </>
      )}
      <Confirm
        title={asking?.confirm?.title(itemsOf(asking).length) ?? ''}
        note={asking?.confirm?.note ?? ''}
        act={asking?.label ?? ''}
        isOpen={asking !== null}
        onClose={() => setAsking(null)}
        onConfirm={async () => {
          // The bar shows how far it is.
          if (asking) void start(asking)
        }}
      />
      <Dialog
        title={texts.bulk.failures.title(report?.failures.length ?? 0)}
        note={report?.done ? texts.bulk.failures.note(report.done) : texts.bulk.failures.noneDone}
        isOpen={report !== null}
        onClose={() => setReport(null)}
      >
        <ul className="bulk-failures">
          {report?.failures.map(({ item, message }) => (
            <li key={nameOf(item)}>
              <strong>{nameOf(item)}</strong>
              <span className="muted">{message}</span>
            </li>
          ))}
        </ul>
      </Dialog>
    </section>
  )
}
