import { type FormEvent, useState } from 'react'
import type { Policy } from '../../../../src/features/policies/schema.ts'
import type { EndpointId, IdBeginning } from '../../api.ts'
import { showHere } from '../../problems.ts'
import { useAct } from '../act.ts'
import { Badge } from '../badge.tsx'
import { Button } from '../button.tsx'
import { useChoices } from '../choices.ts'
import { Confirm } from '../dialog.tsx'
import '../field.css'
import { Card } from '../page.tsx'
import { PolicyFields } from './policy-fields.tsx'
import { PolicySummary } from './policy-summary.tsx'
import { texts } from './texts.ts'
import { usePolicyDraft } from './use-policy-draft.ts'

interface PolicySectionProps {
  readonly policy: Policy | null
  /** What saving calls: whoever may not call it only reads. */
  readonly needs: EndpointId
  /** False: it is not theirs to change, though they may change others. */
  readonly mayChange?: boolean
  /** What else follows from having one. */
  readonly note?: string
  readonly refresh: readonly IdBeginning[]
  /** Null takes it away. */
  readonly save: (policy: Policy | null) => Promise<{ readonly hint?: string }>
}

/** The policy of an API key, an app or an inbox's agent: what it allows, and the form that changes it. */
export function PolicySection({ policy, needs, mayChange = true, note, refresh, save }: PolicySectionProps) {
  const [isEditing, setEditing] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const segments = useChoices('segments.list')
  const saving = useAct({
    run: save,
    refresh,
    done: (reply) => reply?.hint ?? texts.saved,
  })
  const removing = useAct({ run: () => save(null), refresh, done: texts.removed })
  const close = () => setEditing(false)
  return (
    <Card
      title={texts.title}
      actions={
        mayChange &&
        !isEditing && (
          <span className="actions">
            {policy && (
              <Button look="quiet" needs={needs} onClick={() => setAsking(true)}>
                {texts.remove}
              </Button>
            )}
            <Button needs={needs} onClick={() => setEditing(true)}>
              {policy ? texts.edit : texts.add}
            </Button>
          </span>
        )
      }
    >
      {isEditing ? (
        <Editor
          policy={policy}
          segments={segments}
          isBusy={saving.isPending}
          onClose={close}
          onSave={(next) => saving.mutateAsync(next).then(close)}
        />
      ) : policy ? (
        <>
          <PolicySummary policy={policy} segments={segments} />
          {note && <p className="muted">{note}</p>}
        </>
      ) : (
        <p className="muted">{texts.none}</p>
      )}
      <Confirm
        title={texts.removal.title}
        note={texts.removal.note}
        act={texts.remove}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => removing.mutateAsync()}
      />
    </Card>
  )
}

interface EditorProps extends Pick<PolicySectionProps, 'policy'> {
  readonly segments: ReturnType<typeof useChoices>
  readonly isBusy: boolean
  readonly onClose: () => void
  readonly onSave: (policy: Policy) => Promise<unknown>
}

/** Begins anew each time that it is opened. */
function Editor({ policy, segments, isBusy, onClose, onSave }: EditorProps) {
  const form = usePolicyDraft(policy)
  const [error, setError] = useState<string | null>(null)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setError(null)
    await form.submit(onSave).catch((reason: Error) => setError(showHere(reason)))
  }
  return (
    <form className="form" onSubmit={submit}>
      <PolicyFields form={form} segments={segments} />
      {error && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
      <div className="actions">
        <Button onClick={onClose}>{texts.cancel}</Button>
        <Button type="submit" look="primary" isBusy={isBusy}>
          {texts.save}
        </Button>
      </div>
    </form>
  )
}

/** Beside the name of what has a policy, in lists. */
export const PolicyBadge = ({ policy }: { policy: Policy | null | undefined }) =>
  policy ? (
    <Badge word={policy.dry_run ? texts.dryRunBadge : texts.badge} tone={policy.dry_run ? 'warn' : 'good'} />
  ) : null
