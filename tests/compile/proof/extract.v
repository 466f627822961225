(* The mapping that docs/proof/truth.v proves, as OCaml: booleans and lists are OCaml's, numbers stay Coq's own, so that nothing
   has to be trusted about their arithmetic. *)
Require Import truth ZArith Extraction ExtrOcamlBasic.

(* The names Lt and Eq are also those of a type of Coq's library, and would be changed. *)
Definition less (state : Type) (a b : operand state) := Lt state a b.
Definition equal (state : Type) (a b : operand state) := Eq state a b.

Extraction "model.ml" utility all_of any_of less equal Z.add Z.mul.
