import { FILTER_OPERATORS, type GivenFilter } from "../market/offer-wishes.ts";
import { isRecord, readJson } from "../shared/json.ts";
import { Fault, type Field, field } from "./input-fields.ts";

const MOST_CHARACTERS = 4000;
const OPERATORS: readonly string[] = FILTER_OPERATORS;
const LISTING: readonly string[] = ["in", "notin"];
/** Fields that the action sets itself, and no user's filter may change. */
const OURS: readonly string[] = ["rentable", "rented", "type", "limit", "order", "allocated_storage"];

/** JSON in the service's own form: `{"<field>": {"<operator>": <value>}}`. */
export function filterField(): Field<GivenFilter> {
  return field((text) => {
    if (text.length > MOST_CHARACTERS) return new Fault(`is too long, allowed are ${MOST_CHARACTERS} characters`);
    const given = readJson(text);
    if (!isRecord(given))
      return new Fault('is not a JSON object, allowed is the service\'s own form, such as {"disk_bw": {"gte": 500}}');
    const faults = Object.entries(given).flatMap(([name, filter]) => faultsOf(name, filter));
    // Checked above, field by field.
    return faults[0] ?? (given as GivenFilter);
  }, "{}");
}

function faultsOf(name: string, filter: unknown): Fault[] {
  if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name))
    return [new Fault("is not valid, allowed are an offer's fields as names")];
  if (OURS.includes(name)) return [new Fault(`sets ${name}, allowed are fields that the action does not set itself`)];
  if (!isRecord(filter) || Object.keys(filter).length === 0)
    return [new Fault(`is not valid at ${name}, allowed is an object of operators, such as {"gte": 500}`)];
  return Object.entries(filter).flatMap(([operator, value]) => {
    if (!OPERATORS.includes(operator))
      return [new Fault(`is not valid at ${name}, allowed are the operators ${OPERATORS.join(", ")}`)];
    const words = LISTING.includes(operator) ? "a list of texts and numbers" : "a text, a number, true or false";
    return fits(operator, value) ? [] : [new Fault(`is not valid at ${name}.${operator}, allowed is ${words}`)];
  });
}

function fits(operator: string, value: unknown): boolean {
  if (LISTING.includes(operator))
    return (
      Array.isArray(value) && value.length > 0 && value.every((each) => isScalar(each) && typeof each !== "boolean")
    );
  return isScalar(value);
}

function isScalar(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}
