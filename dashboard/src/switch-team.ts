import { sendJson } from './api.ts'
import { chooseTeam } from './chosen-team.ts'

/** From here on this page shows another team, and so does the next one that is opened. Null: whichever there is. */
export async function switchTeam(team: string | null) {
  chooseTeam(team)
  if (team !== null) await sendJson('PATCH', '/dashboard/session', { team }).catch(() => {})
  // What was read is of the other team, and so is what is listened to.
  location.assign('/dashboard')
}
