import { onThisHost } from '../api.ts'
import { inBytes } from './bytes.ts'
import { Empty } from './states.tsx'
import './file-list.css'
import { texts } from './texts.ts'

interface File {
  readonly id: string
  readonly filename?: string | null
  readonly content_type: string
  readonly content_disposition: string | null
  readonly size: number
  readonly download_url: string
}

export function FileList({ files }: { files: readonly File[] }) {
  if (files.length === 0) return <Empty icon="page" title={texts.mail.noAttachments} />
  return (
    <ul className="files">
      {files.map(({ id, filename, content_type, size, content_disposition, download_url }) => (
        <li key={id}>
          <a href={onThisHost(download_url)} download>
            {filename ?? 'attachment'}
          </a>
          <span className="muted">
            {content_type} · {inBytes(size)} {content_disposition === 'inline' && '· inline'}
          </span>
        </li>
      ))}
    </ul>
  )
}
