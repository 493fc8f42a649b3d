// Which team this page shows. Each page of a browser has its own, and a new one begins with that of the session.
const NAME = 'postwren-team'

export const chosenTeam = (): string | null => sessionStorage.getItem(NAME)

export function chooseTeam(id: string | null) {
  if (id === null) sessionStorage.removeItem(NAME)
  else sessionStorage.setItem(NAME, id)
}
