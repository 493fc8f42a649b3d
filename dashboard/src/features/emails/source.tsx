import { useCall } from '../../queries.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Code, Facts } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'

/** The message as it goes over the wire, or its headers one by one. */
export function Source({ id, part }: { id: string; part: 'all' | 'headers' }) {
  const source = useCall('emails.source', { id })
  if (source.isPending) return <Loading />
  if (source.isError) return <Failed error={source.error} onRetry={() => source.refetch()} />
  const text = source.data.source
  if (part === 'headers') return <Facts facts={headersOf(text)} />
  return (
    <>
      <div className="actions end">
        <CopyButton text={text}>Copy source</CopyButton>
      </div>
      <Code text={text} label="Source of the email" />
    </>
  )
}

/** A header goes on in the next line when that begins with a space. */
const headersOf = (source: string) =>
  source
    .split(/\r?\n\r?\n/, 1)[0]!
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as const)
