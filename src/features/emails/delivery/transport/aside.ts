import type { Answer, Outgoing } from '../deliver.ts'

/** Those of the recipients that were told nothing yet. */
export const without = (recipients: readonly string[], told: readonly Answer[]) =>
  told.length === 0 ? recipients : recipients.filter((one) => !told.some(({ recipient }) => recipient === one))

/** Sets aside whose mail operators hold back, now that it is known where it goes, and returns the others. */
export function withoutHeldAt(
  destination: string,
  { outgoing, recipients }: { outgoing: Pick<Outgoing, 'holdAt'>; recipients: readonly string[] },
  tell: (answers: readonly Answer[]) => void,
): readonly string[] {
  const aside = recipients.flatMap((recipient): readonly Answer[] => {
    const hold = outgoing.holdAt(recipient, destination)
    return hold === null ? [] : [{ recipient, verdict: { kind: 'aside', hold }, destination }]
  })
  if (aside.length > 0) tell(aside)
  return without(recipients, aside)
}
