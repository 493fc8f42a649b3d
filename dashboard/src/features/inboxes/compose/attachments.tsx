import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { inBytes } from '../../../ui/bytes.ts'
import { Icon } from '../../../ui/icons.tsx'
import type { DraftFile } from './draft-content.ts'
import type { DraftSaver } from './draft-saver.ts'
import { fitting } from './file-limits.ts'
import type { Upload } from './file-queue.ts'
import './attachments.css'
import { texts } from '../texts.ts'

export interface CarriedFile {
  readonly id: string
  readonly filename: string | null
  readonly size: number | null
}

interface AttachmentsProps {
  readonly files: readonly DraftFile[]
  readonly uploads: readonly Upload[]
  readonly carried: readonly CarriedFile[]
  readonly saver: DraftSaver
}

/** The files of a draft, those on their way, and those that are forwarded. */
export function Attachments({ files, uploads, carried, saver }: AttachmentsProps) {
  if (files.length + uploads.length + carried.length === 0) return null
  return (
    <ul className="draft-files" aria-label={texts.files.attached}>
      {carried.map(({ id, filename, size }) => (
        <li key={id}>
          <Icon name="clip" />
          <span>{filename ?? texts.files.unnamed}</span>
          <span className="muted">
            {size === null ? texts.files.forwarded : texts.files.forwardedSize(inBytes(size))}
          </span>
        </li>
      ))}
      {files.map(({ id, filename, size }) => (
        <li key={id}>
          <Icon name="clip" />
          <span>{filename}</span>
          <span className="muted">{inBytes(size)}</span>
          <IconButton icon="close" label={texts.files.remove(filename)} onClick={() => saver.removeFile(id)} />
        </li>
      ))}
      {uploads.map(({ id, name, size, share, error }) => (
        <li key={id} className={error === null ? '' : 'wrong'}>
          <Icon name="upload" />
          <span>{name}</span>
          {error === null ? (
            <progress value={share} max={1} aria-label={texts.files.uploading(name)} />
          ) : (
            <span role="alert">{error}</span>
          )}
          <span className="muted">{inBytes(size)}</span>
          <IconButton
            icon="close"
            label={error === null ? texts.files.stop(name) : texts.files.remove(name)}
            onClick={() => saver.cancelUpload(id)}
          />
        </li>
      ))}
    </ul>
  )
}

interface Attaching {
  readonly add: (files: readonly File[]) => void
  readonly drop: (event: DragEvent) => void
  readonly refusals: readonly string[]
  readonly button: ReactNode
}

/** Files that are picked, dropped or pasted. */
export function useAttaching(saver: DraftSaver): Attaching {
  const input = useRef<HTMLInputElement>(null)
  const [refusals, setRefusals] = useState<readonly string[]>([])
  const add = (added: readonly File[]) => {
    const { files, uploads } = saver.state
    const waiting = uploads.filter(({ error }) => error === null)
    const { files: taken, refusals: reasons } = fitting([...files, ...waiting], added)
    setRefusals(reasons)
    if (taken.length > 0) saver.addFiles(taken)
  }
  const drop = (event: DragEvent) => {
    if (event.defaultPrevented || event.dataTransfer.files.length === 0) return
    event.preventDefault()
    add([...event.dataTransfer.files])
  }
  const button = (
    <>
      <Button icon="clip" onClick={() => input.current?.click()}>
        {texts.files.attach}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={texts.files.attachLabel}
        onChange={({ currentTarget }) => {
          add([...(currentTarget.files ?? [])])
          currentTarget.value = ''
        }}
      />
    </>
  )
  return { add, drop, refusals, button }
}
