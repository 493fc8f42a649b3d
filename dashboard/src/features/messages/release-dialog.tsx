import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { listOfText, textOfList } from '../../ui/list-text.ts'
import { Code, Facts } from '../../ui/page.tsx'
import type { FullMessage } from './message-scope.ts'

interface ReleaseDialogProps {
  readonly message: FullMessage
  /** The server that it goes through; null: none is set. */
  readonly relay: string | null
  readonly onClose: () => void
}

/** One message, on purpose, to real people. */
export const ReleaseDialog = ({ message, relay, onClose }: ReleaseDialogProps) => (
  <Dialog
    title="Release message"
    note={
      relay === null
        ? 'No email leaves this machine, and no relay is configured to release a single message.'
        : `It is delivered through ${relay} to real recipients. This cannot be undone.`
    }
    isOpen
    onClose={onClose}
  >
    {relay === null ? <HowToRelease /> : <ReleaseForm message={message} onClose={onClose} />}
  </Dialog>
)

/** Everything else stays here, also with a relay. */
const HowToRelease = () => (
  <>
    <p>Set a relay and restart Postwren. Only messages you release leave this machine:</p>
    <Code
      text="POSTWREN_RELAY_URL=smtp://user:password@smtp.example.com:587 npx postwren"
      label="Command that sets a relay"
    />
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
            ['Released to', release.data.released_to.join(', ')],
            ['Relay response', <code key="reply">{release.data.reply}</code>],
            ...release.data.refused.map(({ to, reply }): [string, ReactNode] => [
              `Refused: ${to}`,
              <code key={to}>{reply}</code>,
            ]),
          ]}
        />
        <div className="actions">
          <Button look="primary" onClick={onClose}>
            Done
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
      <Field label="Recipients" hint="Separated by commas. Only these addresses receive it, regardless of its headers.">
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
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="danger" icon="send" isBusy={release.isPending}>
          Release message
        </Button>
      </div>
    </form>
  )
}

/** Without a name, which may have a comma in it. */
const bareAddress = (mailbox: string) => /<([^<>]+)>\s*$/.exec(mailbox)?.[1] ?? mailbox
