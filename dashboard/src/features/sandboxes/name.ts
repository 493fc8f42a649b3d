import type { Item } from '../../api.ts'
import { texts } from './texts.ts'

/** Of those without a name, the part of the id that differs. */
export const nameOf = ({ name, id }: Pick<Item<'sandboxes.list'>, 'name' | 'id'>) =>
  name ?? texts.page.unnamed(id.slice(-12))
