import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, onThisHost } from '../../../api.ts'
import { keyOf } from '../../../queries.ts'
import { useAllowed } from '../../../ui/allowed.tsx'
import { Button } from '../../../ui/button.tsx'
import { inBytes } from '../../../ui/bytes.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Icon } from '../../../ui/icons.tsx'
import { Code } from '../../../ui/page.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import type { Email } from '../compose/answer.ts'
import './message-files.css'
import { texts } from '../texts.ts'

type File = Email['attachments'][number]

/** What a page can show without running anything. Pictures with scripts in them (svg) are none of it. */
const PICTURE = /^image\/(?:png|jpe?g|gif|webp|avif|bmp)$/i
const TEXT = /^(?:text\/(?:plain|csv|markdown|x-log|calendar)|application\/json)\b/i
const MAX_TEXT_BYTES = 500_000

const isShowable = ({ content_type, size }: File) =>
  PICTURE.test(content_type) || (TEXT.test(content_type) && (size ?? 0) <= MAX_TEXT_BYTES)

/** The files of an email: to keep, and some to look at. */
export function MessageFiles({ email }: { email: Email }) {
  const [shown, setShown] = useState<File | null>(null)
  const isAllowed = useAllowed()
  const { attachments, direction } = email
  const needs = direction === 'inbound' ? 'emails.receiving.attachments.get' : 'emails.attachments.get'
  if (attachments.length === 0) return null
  const canRead = isAllowed(needs)
  return (
    <>
      <ul className="message-files" aria-label={texts.files.list}>
        {attachments.map((file) => (
          <li key={file.id}>
            <Icon name="clip" />
            <span>{file.filename ?? texts.files.unnamed}</span>
            {file.size !== null && <span className="muted">{inBytes(file.size)}</span>}
            {canRead && isShowable(file) && (
              <Button
                look="quiet"
                aria-label={texts.files.viewOf(file.filename ?? texts.files.unnamed)}
                onClick={() => setShown(file)}
              >
                {texts.files.view}
              </Button>
            )}
            {canRead && <Save email={email} file={file} />}
          </li>
        ))}
      </ul>
      {shown && (
        <Dialog title={shown.filename ?? texts.files.unnamed} isOpen isWide onClose={() => setShown(null)}>
          <Look email={email} file={shown} />
        </Dialog>
      )}
    </>
  )
}

/** Links are good for an hour, so each is asked for when it is needed. */
async function linkTo({ id, direction }: Email, { id: attachment }: File): Promise<string> {
  const { download_url } =
    direction === 'inbound'
      ? await call('emails.receiving.attachments.get', { id, attachmentId: attachment })
      : await call('emails.attachments.get', { id, attachmentId: attachment })
  return onThisHost(download_url)
}

function Save({ email, file }: { email: Email; file: File }) {
  const save = async () => {
    const href = await linkTo(email, file)
    Object.assign(document.createElement('a'), { href, download: file.filename ?? 'attachment' }).click()
  }
  return (
    <Button look="quiet" aria-label={texts.files.downloadOf(file.filename ?? texts.files.unnamed)} onClick={save}>
      {texts.files.download}
    </Button>
  )
}

function Look({ email, file }: { email: Email; file: File }) {
  const isPicture = PICTURE.test(file.content_type)
  const content = useQuery({
    queryKey: [...keyOf('inboxes.threads.emails.get', { inbox: '', thread: '', email: email.id }), 'file', file.id],
    queryFn: async () => {
      const link = await linkTo(email, file)
      return isPicture ? link : (await fetch(link)).text()
    },
    gcTime: 0,
  })
  if (content.isPending) return <Loading />
  if (content.isError) return <Failed error={content.error} />
  const name = file.filename ?? texts.files.unnamed
  return isPicture ? (
    <img className="message-picture" src={content.data} alt={name} />
  ) : (
    <Code text={content.data} label={name} />
  )
}
