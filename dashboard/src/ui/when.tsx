import { useQuery } from '@tanstack/react-query'
import { call } from '../api.ts'
import { keyOf } from '../queries.ts'
import { useDebounced } from './debounced.ts'
import { dateFormat } from './locale.ts'
import './when.css'

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

const MOMENT = dateFormat({
  ...({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const),
  ...({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' } as const),
})

const TYPING_MS = 250

const inZone = (text: string) => ({ scheduled_at: text, timezone: ZONE })

/** The moment that a text means where its reader is, as ISO 8601. */
export const readMoment = (text: string) =>
  call('emails.schedule', inZone(text)).then(({ scheduled_at }) => scheduled_at)

/** What a time in words will be, while it is being written: “tomorrow at 9am” says neither the day nor the zone. */
export function WhenEcho({ text }: { text: string }) {
  const asked = useDebounced(text.trim(), TYPING_MS)
  const { data, error, isError } = useQuery({
    queryKey: keyOf('emails.schedule', inZone(asked)),
    enabled: asked !== '',
    queryFn: () => readMoment(asked),
    retry: false,
    gcTime: 0,
  })
  if (asked === '') return null
  return (
    <p className={isError ? 'echo bad' : 'echo'} role="status">
      {isError ? error.message.replace(/^Invalid `\w+` field\. /, '') : data && MOMENT.format(new Date(data))}
    </p>
  )
}
