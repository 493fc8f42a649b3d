import { Button } from '../../../ui/button.tsx'
import { texts } from '../texts.ts'
import { type Content, contentOf } from './draft-content.ts'
import type { DraftSaver } from './draft-saver.ts'
import type { Phase } from './draft-state.ts'
import { withoutRepeated } from './mailboxes.ts'
import { startAnew } from './open-drafts.ts'
import { plainText } from './plain-text.ts'
import { bothOf } from './reconcile.ts'

interface DraftTroubleProps {
  readonly saver: DraftSaver
  readonly phase: Phase
  readonly content: Content
  readonly onReplaced: (saver: DraftSaver) => void
  readonly onDone: () => void
}

/** What keeps it from being saved, and what can be done about it. Nothing is lost without being asked. */
export function DraftTrouble({ saver, phase, content, onReplaced, onDone }: DraftTroubleProps) {
  if (phase.kind === 'refused')
    return (
      <p className="draft-trouble" role="alert">
        {texts.saving.storedHere(phase.reason)}
      </p>
    )
  if (phase.kind === 'gone')
    return (
      <div className="draft-trouble" role="alert">
        <p>{phase.how === 'sent' ? texts.saving.sentElsewhere : texts.saving.deletedElsewhere}</p>
        <div className="actions">
          <Button onClick={() => startAnew(saver).then(onReplaced)}>{texts.saving.saveAsNew}</Button>
          <Button
            onClick={() => {
              saver.end()
              onDone()
            }}
          >
            {texts.saving.discard}
          </Button>
        </div>
      </div>
    )
  if (phase.kind !== 'conflict') return null
  const theirs = contentOf(phase.theirs)
  return (
    <div className="draft-trouble" role="alert">
      <p>{texts.saving.changedElsewhere}</p>
      <blockquote>{plainText(theirs.html) || texts.conversation.emptyDraft}</blockquote>
      <div className="actions">
        <Button onClick={() => saver.settle(bothOf(content, theirs, both))}>{texts.saving.keepBoth}</Button>
        <Button onClick={() => saver.settle(content)}>{texts.saving.keepMine}</Button>
        <Button onClick={() => saver.settle(theirs)}>{texts.saving.useOther}</Button>
      </div>
    </div>
  )
}

const both = (mine: readonly string[], theirs: readonly string[]) => [...mine, ...withoutRepeated(theirs, mine)]
