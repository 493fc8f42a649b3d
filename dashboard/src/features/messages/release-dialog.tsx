import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { listOfText, textOfList } from '../../ui/list-text.ts'
import type { FullMessage } from '../../ui/message-viewer/message.ts'
import { Code, Facts } from '../../ui/page.tsx'
import { texts } from './texts.ts'

interface ReleaseDialogProps {
  readonly message: FullMessage
  /** The server that it goes through; null: none is set. */
  readonly relay: string | null
  readonly onClose: () => void
}

/** One message, on purpose, to real people. */
export const ReleaseDialog = ({ message, relay, onClose }: ReleaseDialogProps) => (
  <Dialog
    title={texts.releaseDialog.title}
    note={relay === null ? texts.relayMissing.note : texts.releaseDialog.note(relay)}
    isOpen
    onClose={onClose}
  >
    {relay === null ? <HowToRelease /> : <ReleaseForm message={message} onClose={onClose} />}
  </Dialog>
)

/** Everything else stays here, also with a relay. */
const HowToRelease = () => (
  <>
    <p>{texts.relayMissing.howTo}</p>
    <Code text={texts.relayMissing.command} label={texts.relayMissing.commandLabel} />
  </>
)

function ReleaseForm({ message, onClose }: Omit<ReleaseDialogProps, 'relay'>) {
  const [error, setError] = useState<string | null>(null)
  const release = useAct({
    run: (to: string[]) => call('messages.release', { id: message.id, body: { to } }),
    refresh: ['messages'],
  })
  if (release.data)
    return (
      <>
        <Facts
          facts={[
            [texts.releaseDialog.releasedTo, release.data.released_to.join(', ')],
            [texts.releaseDialog.relayResponse, <code key="reply">{release.data.reply}</code>],
            ...release.data.refused.map(({ to, reply }): [string, ReactNode] => [
              texts.releaseDialog.refused(to),
              <code key={to}>{reply}</code>,
            ]),
          ]}
        />
        <div className="actions">
          <Button look="primary" onClick={onClose}>
            {texts.releaseDialog.done}
          </Button>
        </div>
      </>
    )
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const to = listOfText(String(new FormData(event.currentTarget).get('to')).trim()) ?? []
    setError(null)
    await release.mutateAsync(to).catch((reason) => setError((reason as Error).message))
  }
  return (
    <form className="form" onSubmit={submit}>
      <Field label={texts.releaseDialog.recipients} hint={texts.releaseDialog.recipientsHint}>
        {(common) => (
          <textarea
            {...common}
            name="to"
            rows={3}
            required
            defaultValue={textOfList([...message.to, ...message.cc, ...message.bcc].map(bareAddress))}
          />
        )}
      </Field>
      {error && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
      <div className="actions">
        <Button onClick={onClose}>{texts.releaseDialog.cancel}</Button>
        <Button type="submit" look="danger" icon="send" isBusy={release.isPending}>
          {texts.releaseDialog.title}
        </Button>
      </div>
    </form>
  )
}

/** Without a name, which may have a comma in it. */
const bareAddress = (mailbox: string) => /<([^<>]+)>\s*$/.exec(mailbox)?.[1] ?? mailbox
