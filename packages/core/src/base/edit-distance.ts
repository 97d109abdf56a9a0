/** The number of slips between two words; `limit + 1` when there are more than `limit`. */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let [before, row, next] = [0, 1, 2].map(() => Array.from({ length: b.length + 1 }, () => 0))
  for (let j = 0; j <= b.length; j++) row![j] = j
  for (let i = 1; i <= a.length; i++) {
    next![0] = i
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let cost = Math.min(row![j]! + 1, next![j - 1]! + 1, row![j - 1]! + (isSame ? 0 : 1))
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwapped) cost = Math.min(cost, before![j - 2]! + 1)
      next![j] = cost
      least = Math.min(least, cost)
    }
    if (least > limit) return limit + 1
    ;[before, row, next] = [row, next, before]
  }
  return Math.min(row![b.length]!, limit + 1)
}
