/** What a reader types for this program, in front of its words. */
export const commandName: string = nameIn(import.meta.url)

/** The same for a program of which this is the address of a module. */
export function nameIn(address: string): string {
  return address.endsWith('.ts') ? 'npx passepartout' : 'passepartout'
}
