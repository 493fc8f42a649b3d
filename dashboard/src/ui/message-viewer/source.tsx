import type { ReactNode } from 'react'
import { useCall } from '../../queries.ts'
import { CopyButton } from '../copy.tsx'
import { Code } from '../page.tsx'
import { Empty, Failed, Loading } from '../states.tsx'
import type { FullMessage } from './message.ts'
import { texts } from './texts.ts'

/** A header may be there more than once. */
export const Headers = ({ headers }: Pick<FullMessage, 'headers'>) => (
  <dl className="facts">
    {headers.map(({ name, value }, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they do not change
      <div key={at}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

interface SourceProps {
  readonly message: FullMessage
  readonly sandbox: string | undefined
  readonly downloadUrl: string | undefined
}

/** The message as it goes over the wire. */
export function Source({ message: { id, raw, direction }, sandbox, downloadUrl }: SourceProps) {
  const download = downloadUrl !== undefined && (
    <a className="button plain" href={downloadUrl} download>
      {texts.source.download}
    </a>
  )
  if (raw !== null) return <SourceText text={raw}>{download}</SourceText>
  if (direction === 'sent') return <BuiltSource id={id} sandbox={sandbox} />
  return (
    <Empty icon="page" title={texts.source.tooLarge.title}>
      <p className="muted">{texts.source.tooLarge.note}</p>
      {download}
    </Empty>
  )
}

const SourceText = ({ text, children }: { text: string; children?: ReactNode }) => (
  <>
    <div className="actions end">
      {children}
      <CopyButton text={text}>{texts.source.copy}</CopyButton>
    </div>
    <Code text={text} label={texts.source.label} />
  </>
)

interface BuiltProps {
  readonly id: string
  readonly sandbox: string | undefined
}

/** Of an email that is not a message yet, or a very large one: with the beginnings of its attachments. */
export const BuiltSource = (props: BuiltProps) => <Built {...props} show={(text) => <SourceText text={text} />} />

export const BuiltHeaders = (props: BuiltProps) => (
  <Built {...props} show={(text) => <Headers headers={headersOf(text)} />} />
)

function Built({ id, sandbox, show }: BuiltProps & { show: (source: string) => ReactNode }) {
  const source = useCall('emails.source', { id }, { sandbox })
  if (source.isPending) return <Loading />
  if (source.isError) return <Failed error={source.error} onRetry={() => source.refetch()} />
  return show(source.data.source)
}

/** A header goes on in the next line when that begins with a space. */
const headersOf = (source: string) =>
  source
    .split(/\r?\n\r?\n/, 1)[0]!
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
    .map((line) => ({ name: line.slice(0, line.indexOf(':')), value: line.slice(line.indexOf(':') + 1).trim() }))
