(* Reads the lines of conditions.c and holds each utility against the function that Coq extracted (model.ml).
   Prints the lines that differ, at most five, and a last line with the counts; status 1 if any differed. *)
open Model

let rec positive n = if n = 1 then XH else if n land 1 = 1 then XI (positive (n / 2)) else XO (positive (n / 2))
let z_of_int n = if n = 0 then Z0 else if n > 0 then Zpos (positive n) else Zneg (positive (-n))

(* Numbers beyond an int of OCaml are put together digit by digit. *)
let z_of_string text =
  if String.length text <= 18 then z_of_int (int_of_string text)
  else
    let is_negative = text.[0] = '-' and ten = z_of_int 10 in
    let add sum c = if c = '-' then sum else Z.add (Z.mul sum ten) (z_of_int (Char.code c - Char.code '0')) in
    match String.fold_left add Z0 text with Zpos p when is_negative -> Zneg p | z -> z

let rec int_of_positive = function XH -> 1 | XO p -> 2 * int_of_positive p | XI p -> (2 * int_of_positive p) + 1
let int_of_z = function Z0 -> 0 | Zpos p -> int_of_positive p | Zneg p -> -int_of_positive p
let sign_of_z = function Zneg _ -> -1 | _ -> 0

(* Reads a condition from the words; returns the words behind it. a >= b is b <= a, and a != b is the negation of a = b. *)
let rec read = function
  | "true" :: rest -> (True_, rest)
  | "false" :: rest -> (False_, rest)
  | "not" :: rest ->
      let c, rest = read rest in
      (Not c, rest)
  | (("all" | "any") as word) :: n :: rest ->
      let parts, rest = read_some (int_of_string n) rest in
      ((if word = "all" then all_of parts else any_of parts), rest)
  | word :: a :: b :: rest ->
      let a = z_of_string a and b = z_of_string b in
      let a () = a and b () = b in
      let c =
        match word with
        | "le" -> Le (a, b)
        | "lt" -> less a b
        | "eq" -> equal a b
        | "ge" -> Le (b, a)
        | "gt" -> less b a
        | "ne" -> Not (equal a b)
        | _ -> failwith word
      in
      (c, rest)
  | _ -> failwith "a condition ends too early"

and read_some n words =
  if n = 0 then ([], words)
  else
    let first, words = read words in
    let others, words = read_some (n - 1) words in
    (first :: others, words)

let () =
  let is_wide = Array.length Sys.argv > 1 && Sys.argv.(1) = "wide" in
  let lines = ref 0 and wrong = ref 0 and below = ref 0 in
  (try
     while true do
       let line = input_line stdin in
       match String.split_on_char ' ' line with
       | got :: words ->
           let c, rest = read words in
           if rest <> [] then failwith line;
           let u = utility () c in
           let want = if is_wide then sign_of_z u else int_of_z u in
           incr lines;
           if want < 0 then incr below;
           if int_of_string got <> want then begin
             incr wrong;
             if !wrong <= 5 then Printf.printf "model %d: %s\n" want line
           end
       | [] -> failwith line
     done
   with End_of_file -> ());
  Printf.printf "%d conditions, %d below 0, %d differ\n" !lines !below !wrong;
  exit (if !wrong > 0 || !lines = 0 then 1 else 0)
