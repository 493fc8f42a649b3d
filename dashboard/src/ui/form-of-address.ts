import { useState } from 'react'

/**
 * The key of a form whose fields show what the address says. What comes from elsewhere, from a link for instance, fills them anew; what was
 * sent from the form itself does not, since somebody may have gone on writing before the address has it.
 */
export function useFormOfAddress(given: string) {
  const [form, setForm] = useState<{ round: number; given: string; sent: string | null }>({
    round: 0,
    given,
    sent: null,
  })
  if (given !== form.given) setForm({ round: form.round + Number(given !== form.sent), given, sent: null })
  return { key: form.round, isSent: (sent: string) => setForm((old) => ({ ...old, sent })) }
}
